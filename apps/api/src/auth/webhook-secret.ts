import { randomBytes } from 'node:crypto';

/** A secret in the form of Standard Webhooks. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
