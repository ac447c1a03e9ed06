import { EVENT_LIMITS } from '@jobline/contracts';
import { activeWebhookSecrets, recordAudit, rotateWebhookSecret as rotateWebhookSecretRow } from '@jobline/db';
import Joi from 'joi';
import { newWebhookSecret } from '../auth/secrets.js';
import { defineEndpoint } from '../endpoint.js';
import { notFound } from '../http/errors.js';
import { json } from '../http/response-specs.js';
import { view } from '../http/view.js';

export const webhookSecretView = view<{ secret: string }>('WebhookSecret', {
  secret: Joi.string().pattern(/^whsec_/),
});

/**
 * The secret with which receivers verify the organization's webhooks. It allows to sign webhooks in the organization's name,
 * so each read is recorded in the audit log.
 */
export const getWebhookSecret = defineEndpoint({
  method: 'get',
  path: '/org/webhook-secret',
  summary: 'Read the webhook secret',
  right: 'webhook_secret',
  needs: ['cipher', 'db'],
  // Each read adds to the audit log, which keeps it for a year.
  limits: { caller: 'manage' },
  responses: { 200: json('The current secret.', webhookSecretView) },
  async handle({ deps, principal, origin }) {
    const [secret] = await activeWebhookSecrets(deps.db, principal.orgId, deps.cipher);
    if (secret === undefined) throw notFound();
    await recordAudit(deps.db, principal.orgId, { ...origin, action: 'webhook_secret.read' });
    return { status: 200, body: { secret } };
  },
});

export const SECRET_OVERLAP_MS = EVENT_LIMITS.secretOverlapHours * 3_600_000;

/** Replaces the webhook secret by a new one. */
export const rotateWebhookSecret = defineEndpoint({
  method: 'post',
  path: '/org/webhook-secret/rotate',
  summary: 'Rotate the webhook secret',
  right: 'webhook_secret',
  needs: ['cipher', 'db'],
  responses: {
    200: json('The new secret. The old one signs too for 24 hours; at most 16 old ones do.', webhookSecretView),
  },
  async handle({ deps, principal, origin }) {
    const secret = newWebhookSecret();
    const { db, cipher } = deps;
    await rotateWebhookSecretRow(db, principal.orgId, { secret, overlapMs: SECRET_OVERLAP_MS, origin, cipher });
    return { status: 200, body: { secret } };
  },
});
