import { activeWebhookSecrets, recordAudit } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { json } from '../../http/response-specs.js';
import { webhookSecretView } from '../../views/account-view.js';

/**
 * The secret with which receivers verify the organization's webhooks. It allows to sign webhooks in the organization's name,
 * so each read is recorded in the audit log.
 */
export const getWebhookSecret = defineEndpoint({
  method: 'get',
  path: '/org/webhook-secret',
  summary: 'Read the webhook secret',
  auth: 'bearer',
  right: 'webhook_secret',
  needs: ['cipher', 'db'],
  limits: { caller: 'manage' },
  responses: { 200: json('The current secret.', webhookSecretView) },
  async handle({ deps, principal, origin }) {
    const [secret] = await activeWebhookSecrets(deps.db, principal.orgId, deps.cipher);
    if (secret === undefined) throw notFound();
    await recordAudit(deps.db, principal.orgId, { ...origin, action: 'webhook_secret.read' });
    return { status: 200, body: { secret } };
  },
});
