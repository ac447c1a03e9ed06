import { repeatFailed } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { instant, UUID_PATTERN } from '../../../http/fields.js';
import { json } from '../../../http/response-specs.js';
import { toWebhookView, webhookView } from '../../../views/webhook-view.js';
import { enabledWebhook } from './enabled-webhook.js';

/** Sends everything again that could not be delivered to a webhook since a time. */
export const recoverWebhook = defineEndpoint({
  method: 'post',
  path: '/org/webhooks/:id/recover',
  summary: 'Deliver again what has failed since a time',
  auth: 'bearer',
  right: 'webhooks',
  needs: ['db'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  body: Joi.object<{ since: Date }>({
    since: instant().required().description('Deliveries that were created at or after this time.'),
  }),
  responses: { 202: json('The webhook. Each failed delivery gets one more attempt, at once.', webhookView) },
  errors: ['conflict'],
  async handle({ deps: { db }, principal: { orgId }, params: { id }, body }) {
    const row = await enabledWebhook(db, orgId, id);
    await repeatFailed(db, orgId, id, body.since);
    return { status: 202, body: toWebhookView(row) };
  },
});
