import { EVENT_PATTERNS } from '@jobline/contracts';
import { outboundUrl } from '@jobline/handlers';
import Joi, { type StringSchema } from 'joi';
import { name } from '../../../http/fields.js';

export interface WebhookBody {
  url: string;
  events: string[];
  description?: string | null;
}

const MAX_URL_LENGTH = 2_048;

export const webhookFields = {
  url: url(),
  events: Joi.array()
    .items(Joi.valid(...EVENT_PATTERNS))
    .unique()
    .min(1)
    .description('Names of events, `<group>.*` for all events of a group, or `*` for all.'),
  description: name().allow(null),
};

function url(): StringSchema {
  return outboundUrl.max(MAX_URL_LENGTH).description('http or https, with the rules of the job type `webhook`.');
}
