import { EVENT_PATTERNS } from '@jobline/contracts';
import Joi from 'joi';
import { name, receiverUrl } from '../../../http/fields.js';
import { listOf } from '../../../http/list-of.js';

export interface WebhookBody {
  url: string;
  events: string[];
  description?: string | null;
}

const MAX_URL_LENGTH = 2_048;

export const webhookFields = {
  url: receiverUrl().max(MAX_URL_LENGTH),
  events: listOf(EVENT_PATTERNS.length, Joi.valid(...EVENT_PATTERNS))
    .unique()
    .min(1)
    .description('Names of events, `<group>.*` for all events of a group, or `*` for all.'),
  description: name().allow(null),
};
