import Joi from 'joi';
import type { DefaultSenders } from '../deps.js';
import { defineEndpoint } from '../endpoint.js';
import { json } from '../http/response-specs.js';
import { view } from '../http/view.js';

const defaultSender = view<DefaultSenders['email']>('DefaultSender', {
  provider: Joi.string().description('`sandbox` sends nothing.'),
  from: Joi.string().allow(null).description('Null: the provider chooses the sender, or there is none.'),
  required: Joi.boolean().description('Whether there is none, so that each message must name its sender.'),
});

/** The senders of messages that name none. The operator configures them. */
export const getDefaultSenders = defineEndpoint({
  method: 'get',
  path: '/org/default-senders',
  summary: 'Read the senders of messages that name none',
  right: 'read_senders',
  needs: ['defaultSenders'],
  responses: {
    200: json('The senders.', view<DefaultSenders>('DefaultSenders', { email: defaultSender, sms: defaultSender })),
  },
  async handle({ deps }) {
    return { status: 200, body: deps.defaultSenders };
  },
});
