import { changeTeam, findWebhook, recordAudit, replaceSecret } from '@jobline/db';
import { newWebhookSecret } from '../../../auth/secrets.js';
import { defineEndpoint } from '../../../endpoint.js';
import { notFound } from '../../../http/errors.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { json } from '../../../http/response-specs.js';
import { webhookSecretView } from '../../../views/account-view.js';
import { SECRET_OVERLAP_MS } from '../rotate-webhook-secret.js';

/** Replaces the secret of a webhook by a new one. */
export const rotateSecret = defineEndpoint({
  method: 'post',
  path: '/org/webhooks/:id/rotate',
  summary: 'Rotate the secret of a webhook',
  auth: 'bearer',
  right: 'webhooks',
  needs: ['cipher', 'db'],
  limits: { caller: 'manage' },
  params: { id: UUID_PATTERN },
  responses: { 200: json('The new secret. The old one signs too for 24 hours.', webhookSecretView) },
  async handle({ deps: { db, cipher }, principal: { orgId }, origin, params: { id } }) {
    const secret = newWebhookSecret();
    await changeTeam(db, orgId, async (tx) => {
      const row = await findWebhook(tx, orgId, id);
      if (!row) throw notFound();
      await replaceSecret(tx, orgId, { secret, overlapMs: SECRET_OVERLAP_MS, cipher, webhookId: id });
      await recordAudit(tx, orgId, { ...origin, action: 'webhook.rotated', target: { id, name: row.url } });
    });
    return { status: 200, body: { secret } };
  },
});
