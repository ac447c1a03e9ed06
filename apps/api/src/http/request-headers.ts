import type { IncomingHttpHeaders } from 'node:http';
import type { AppError } from '@jobline/contracts';
import { invalidRequest } from './errors.js';
import type { Validated } from './validate.js';

/** Requests with the same value of this header are carried out once. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';
export const IDEMPOTENCY_KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

/** Undefined without the header. Node joins repeated headers with a space, which the pattern does not allow. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): Validated<string | undefined> {
  const key = headers['idempotency-key'];
  if (key === undefined || (typeof key === 'string' && IDEMPOTENCY_KEY_PATTERN.test(key))) return { value: key };
  const message = `"${IDEMPOTENCY_KEY}" must be 1 to 255 visible ASCII characters, and must be sent once`;
  return { issues: [{ path: IDEMPOTENCY_KEY, message }] };
}

/** The id of the last event that a client has received. Every EventSource sends it when it reconnects. */
export const LAST_EVENT_ID = 'Last-Event-ID';

/** Undefined without the header or with an empty one. */
export function readLastEventId(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['last-event-id'];
  // Node joins repeated headers with a comma, which no stream uses in an id.
  return id === '' || id === undefined ? undefined : String(id);
}

export function unknownLastEventId(): AppError {
  return invalidRequest([{ path: LAST_EVENT_ID, message: `"${LAST_EVENT_ID}" is not an event id of this stream` }]);
}
