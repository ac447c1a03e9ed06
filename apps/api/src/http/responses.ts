import Joi, { type AnySchema } from 'joi';
import type { Answer, LiveStream } from './send.js';

/** Every header that an answer can have beside those of HTTP itself, for the API's documents. */
export const HEADERS = {
  'X-Request-Id': "The request's id, which the log has too: the caller's own, if it sent a sane one.",
  Link: 'The next page, as `<path>; rel="next"`; absent on the last page.',
  'X-Next-Cursor': 'Where this page ends: what the next one is asked for with.',
  'Idempotent-Replayed': '`true`: the same request was answered before, and nothing was done again.',
  'Content-Disposition': '`attachment` and the name to save the file under.',
  'Content-Security-Policy': 'What the file may do if it is opened all the same: nothing.',
  'X-Content-Type-Options': 'Always `nosniff`.',
  'Cache-Control': 'Who may keep the answer.',
  'X-Accel-Buffering': '`no`: proxies are to pass on each event at once.',
  ETag: 'Changes when the content does.',
  'WWW-Authenticate': 'The kind of credential that is missing.',
  'Retry-After': 'Seconds to wait before another try.',
  'RateLimit-Limit': 'How much is allowed.',
  'RateLimit-Remaining': 'How much of it is left.',
  'RateLimit-Reset': 'Seconds until all of it is there again.',
  Allow: 'The methods that the path takes.',
} as const satisfies Record<string, string>;

export type HeaderName = keyof typeof HEADERS;

/** A header of every such answer or, with a question mark, of some. */
export type ReplyHeader = HeaderName | `${HeaderName}?`;

interface Told {
  /** What it means that the endpoint answers so. */
  description: string;
  headers: readonly ReplyHeader[];
}

export interface JsonReply<T = unknown> extends Told {
  kind: 'json';
  schema: AnySchema<T>;
}

export interface EmptyReply extends Told {
  kind: 'empty';
}

export interface StreamReply extends Told {
  kind: 'stream';
  mediaType: string;
}

/** One way in which an endpoint answers. Made by the functions below. */
export type Reply = JsonReply | EmptyReply | StreamReply;

/** Status → reply. */
export type Replies = Readonly<Record<number, Reply>>;

/** What a handle may return: a status that its endpoint has told of, with the body that goes with it. */
export type AnswerOf<R extends Replies> = {
  [Status in keyof R & number]: Omit<Answer<Status>, 'body' | 'stream'> & BodyOf<R[Status]>;
}[keyof R & number];

type BodyOf<R> =
  R extends JsonReply<infer T>
    ? { body: T; stream?: never }
    : R extends StreamReply
      ? { body?: never; stream: AsyncIterable<Uint8Array> | LiveStream }
      : { body?: never; stream?: never };

/** A JSON body. */
export function json<T>(description: string, schema: AnySchema<T>, headers: readonly ReplyHeader[] = []): JsonReply<T> {
  return { kind: 'json', description, schema, headers };
}

/** A page of a list by time. */
export function page<T>(description: string, item: AnySchema<T>): JsonReply<T[]> {
  const schema = Joi.array<T[]>().items(item);
  return json(`${description}; \`Link\` and \`X-Next-Cursor\` lead to the next one.`, schema, [
    'Link?',
    'X-Next-Cursor?',
  ]);
}

/** No body. */
export function empty(description: string, headers: readonly ReplyHeader[] = []): EmptyReply {
  return { kind: 'empty', description, headers };
}

/** A body that is not JSON: sent as it comes. */
export function stream(description: string, mediaType: string, headers: readonly ReplyHeader[] = []): StreamReply {
  return { kind: 'stream', description, mediaType, headers };
}
