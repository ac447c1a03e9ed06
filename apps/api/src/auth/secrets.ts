import { hash, randomBytes } from 'node:crypto';

/** The secret of a link that lets its owner do one thing once: 32 random bytes in base64url. Only the hash is stored. */
interface LinkToken {
  token: string;
  hash: Buffer;
}

const BYTES = 32;

export function makeLinkToken(): LinkToken {
  const token = randomBytes(BYTES).toString('base64url');
  return { token, hash: linkTokenHash(token) };
}

/** The hash under which a token is stored. Any other text has a hash that no row has. */
export function linkTokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** A secret that signs webhooks, in the format of Standard Webhooks. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(BYTES).toString('base64')}`;
}
