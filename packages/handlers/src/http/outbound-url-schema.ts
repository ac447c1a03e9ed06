import Joi from 'joi';
import { outboundUrlIssue } from '../ports/outbound-url.js';

/** A payload field with a URL that a handler calls. */
export const outboundUrl = Joi.string()
  .custom((url: string, { message }) => {
    const issue = outboundUrlIssue(url);
    return issue ? message({ custom: `{{#label}} ${issue}` }) : url;
  })
  .meta({ jsonSchema: { format: 'uri' } });
