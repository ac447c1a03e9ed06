import { hash, randomBytes } from 'node:crypto';

/** What a link carries that lets its holder do one thing once: 32 random bytes in base64url. Only the hash is stored. */
export interface LinkToken {
  token: string;
  hash: Buffer;
}

const BYTES = 32;

export function makeLinkToken(): LinkToken {
  const token = randomBytes(BYTES).toString('base64url');
  return { token, hash: linkTokenHash(token) };
}

/** The hash by which a token is stored; that of any other text is found nowhere. */
export function linkTokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
