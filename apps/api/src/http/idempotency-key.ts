import type { IncomingHttpHeaders } from 'node:http';
import type { Read } from './validate.js';

/** The header by which a caller makes a request once, however often it is sent. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';
export const IDEMPOTENCY_KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

/** Undefined where there is none. Of several, Node makes one with a space in it, which none may have. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): Read<string | undefined> {
  const key = headers['idempotency-key'];
  if (key === undefined || (typeof key === 'string' && IDEMPOTENCY_KEY_PATTERN.test(key))) return { value: key };
  const message = `"${IDEMPOTENCY_KEY}" must be 1 to 255 visible ASCII characters, and be sent once`;
  return { faults: [{ path: IDEMPOTENCY_KEY, message }] };
}
