import type { IncomingHttpHeaders } from 'node:http';
import { type AppError, type ErrorDetail, IDEMPOTENCY_KEY_PATTERN } from '@jobline/contracts';
import { createValidator, descriptionOf, unknownNames, type Validated, type Validator } from '@jobline/engine';
import type { ObjectSchema } from 'joi';
import { invalidRequest } from './errors.js';

/** Names that an issue shows are cut to this length. */
const MAX_NAME_LENGTH = 128;

/** Values of a query are text, so they are converted. */
export function queryValidator<T>(schema: ObjectSchema<T>): Validator<T> {
  return createValidator(schema, true);
}

/** Accepts no value. */
export function rejectAll(values: Readonly<Record<string, unknown>>): Validated<Record<string, never>> {
  const issues = unknownNames(values, new Map());
  return issues.length > 0 ? { issues } : { value: {} };
}

/** The keys of an object schema whose values are arrays. */
export function listsIn(schema: ObjectSchema): ReadonlySet<string> {
  const keys: Record<string, { type?: string }> = descriptionOf(schema).keys ?? {};
  return new Set(Object.keys(keys).filter((name) => keys[name]?.type === 'array'));
}

/** The values of a query by name, and an issue for each repeated name. The values of the names in `lists` are arrays. */
export function readQuery(
  url: string,
  lists: ReadonlySet<string> = new Set(),
): { values: Record<string, string | string[]>; issues: ErrorDetail[] } {
  const values: Record<string, string | string[]> = Object.create(null);
  const repeated = new Set<string>();
  const start = url.indexOf('?');
  if (start >= 0) {
    for (const [name, value] of new URLSearchParams(url.slice(start))) {
      if (lists.has(name)) {
        values[name] = [...(values[name] ?? []), value];
        continue;
      }
      if (name in values) repeated.add(name.slice(0, MAX_NAME_LENGTH));
      values[name] = value;
    }
  }
  return { values, issues: [...repeated].map((path) => ({ path, message: `"${path}" must be sent only once` })) };
}

/** Requests with the same value of this header are carried out once. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';

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

/** Whether a request has a body. These two headers are the only sign of it. */
export function hasBody({ 'transfer-encoding': encoding, 'content-length': length }: IncomingHttpHeaders): boolean {
  return encoding !== undefined || (length !== undefined && length !== '0');
}
