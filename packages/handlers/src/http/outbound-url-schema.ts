import Joi from 'joi';
import { outboundUrlFault } from '../ports/outbound-url.js';

/** A payload field with a URL that a handler will call. */
export const outboundUrl = Joi.string()
  .custom((url: string, { message }) => {
    const fault = outboundUrlFault(url);
    return fault ? message({ custom: `{{#label}} ${fault}` }) : url;
  })
  .meta({ jsonSchema: { format: 'uri' } });
