import { TEST_EVENT } from '@jobline/contracts';
import { writeTestEvent } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { json } from '../../../http/response-specs.js';
import { toWebhookView, webhookView } from '../../../views/webhook-view.js';
import { enabledWebhook } from './enabled-webhook.js';

/** Sends a test event to a webhook, whatever events it has chosen. */
export const testWebhook = defineEndpoint({
  method: 'post',
  path: '/org/webhooks/:id/test',
  summary: 'Send a test event to a webhook',
  auth: 'bearer',
  right: 'webhooks',
  needs: ['db'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  responses: { 202: json('The webhook, to which `test.ping` will be sent.', webhookView) },
  errors: ['conflict'],
  async handle({ deps: { db }, principal: { orgId }, params: { id } }) {
    const row = await enabledWebhook(db, orgId, id);
    await writeTestEvent(db, orgId, id, TEST_EVENT);
    return { status: 202, body: toWebhookView(row) };
  },
});
