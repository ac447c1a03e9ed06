import { activeWebhookSecrets } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/refusals.js';
import { json } from '../../http/replies.js';
import { webhookSecretView } from '../../views/account-view.js';

/** The secret with which receivers check the organization's webhooks. */
export const getWebhookSecret = defineEndpoint({
  method: 'get',
  path: '/org/webhook-secret',
  summary: 'Read the webhook secret',
  auth: 'bearer',
  right: 'webhook_secret',
  responses: { 200: json('The current secret.', webhookSecretView) },
  async handle({ deps, principal }) {
    const [secret] = await activeWebhookSecrets(deps.db, principal.orgId);
    if (secret === undefined) throw notFound();
    return { status: 200, body: { secret } };
  },
});
