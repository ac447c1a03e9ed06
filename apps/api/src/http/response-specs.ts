import Joi, { type AnySchema } from 'joi';
import type { Answer, LiveStream } from './send.js';

/** Every header that a response of the API can have in addition to those of HTTP itself. The API document lists them. */
export const HEADERS = {
  'X-Request-Id': "The request's id, which the log has too. It is the caller's own id if the request has a valid one.",
  Link: 'The next page, as `<path>; rel="next"`; absent on the last page.',
  'X-Next-Cursor': 'The end of this page: the `cursor` of the next one.',
  'Idempotent-Replayed': '`true`: the same request was answered before, and nothing was done again.',
  'Content-Disposition': '`attachment` and the name to save the file under.',
  'Content-Security-Policy': 'Keeps the file from doing anything if a browser opens it.',
  'X-Content-Type-Options': 'Always `nosniff`.',
  'Cache-Control': 'Who may store the response.',
  'X-Accel-Buffering': '`no`: proxies must pass on each event immediately.',
  ETag: 'Changes when the content does.',
  'WWW-Authenticate': 'The kind of credential that is missing.',
  'Retry-After': 'Seconds to wait before another try.',
  'RateLimit-Limit': 'The limit.',
  'RateLimit-Remaining': 'How much of the limit is left.',
  'RateLimit-Reset': 'Seconds until the whole limit is available again.',
  Allow: 'The methods that the path supports.',
} as const satisfies Record<string, string>;

export type HeaderName = keyof typeof HEADERS;

/** A header of every such response or, with a question mark, of some. */
export type ResponseHeader = HeaderName | `${HeaderName}?`;

interface CommonSpec {
  /** What this response means. */
  description: string;
  headers: readonly ResponseHeader[];
}

export interface JsonSpec<T = unknown> extends CommonSpec {
  kind: 'json';
  schema: AnySchema<T>;
}

export interface EmptySpec extends CommonSpec {
  kind: 'empty';
}

export interface StreamSpec extends CommonSpec {
  kind: 'stream';
  mediaType: string;
}

/** One response of an endpoint. The functions below create it. */
export type ResponseSpec = JsonSpec | EmptySpec | StreamSpec;

/** Status → response. */
export type ResponseSpecs = Readonly<Record<number, ResponseSpec>>;

/** What a handle may return: a status that its endpoint declares, with the body of that response. */
export type AnswerOf<R extends ResponseSpecs> = {
  [Status in keyof R & number]: Omit<Answer<Status>, 'body' | 'stream'> & BodyOf<R[Status]>;
}[keyof R & number];

type BodyOf<R> =
  R extends JsonSpec<infer T>
    ? { body: T; stream?: never }
    : R extends StreamSpec
      ? { body?: never; stream: AsyncIterable<Uint8Array> | LiveStream }
      : { body?: never; stream?: never };

/** A response with a JSON body. */
export function json<T>(
  description: string,
  schema: AnySchema<T>,
  headers: readonly ResponseHeader[] = [],
): JsonSpec<T> {
  return { kind: 'json', description, schema, headers };
}

/** A response with one page of a list that is ordered by time. */
export function page<T>(description: string, item: AnySchema<T>): JsonSpec<T[]> {
  const schema = Joi.array<T[]>().items(item);
  return json(`${description}; \`Link\` and \`X-Next-Cursor\` lead to the next one.`, schema, [
    'Link?',
    'X-Next-Cursor?',
  ]);
}

/** A response without a body. */
export function empty(description: string, headers: readonly ResponseHeader[] = []): EmptySpec {
  return { kind: 'empty', description, headers };
}

/** A response whose body is not JSON and is sent unchanged. */
export function stream(description: string, mediaType: string, headers: readonly ResponseHeader[] = []): StreamSpec {
  return { kind: 'stream', description, mediaType, headers };
}
