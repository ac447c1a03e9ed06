import { invalidOptions } from '../jobline-error.js';

const BYTES = 16;

/** `crypto.randomUUID` exists only on pages that were loaded over https. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** `fetch` would report other characters as a failed connection. */
export function checkIdempotencyKey(key: string): void {
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalidOptions('idempotencyKey must have 1 to 255 visible ASCII characters, and no spaces.');
}
