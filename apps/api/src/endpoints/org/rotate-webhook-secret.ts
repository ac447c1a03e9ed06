import { rotateWebhookSecret as rotateWebhookSecretRow } from '@jobline/db';
import { newWebhookSecret } from '../../auth/webhook-secret.js';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/responses.js';
import { webhookSecretView } from '../../views/account-view.js';

/** So long the old secret signs beside the new one: time to tell receivers. */
const OVERLAP_MS = 24 * 3_600_000;

/** Makes a new webhook secret the current one. */
export const rotateWebhookSecret = defineEndpoint({
  method: 'post',
  path: '/org/webhook-secret/rotate',
  summary: 'Rotate the webhook secret',
  auth: 'bearer',
  right: 'webhook_secret',
  limits: { caller: 'manage' },
  responses: {
    200: json('The new secret. The old one signs too for 24 hours, 16 of them together at most.', webhookSecretView),
  },
  async handle({ deps, principal, origin }) {
    const secret = newWebhookSecret();
    const { db, cipher } = deps;
    await rotateWebhookSecretRow(db, principal.orgId, { secret, overlapMs: OVERLAP_MS, origin, cipher });
    return { status: 200, body: { secret } };
  },
});
