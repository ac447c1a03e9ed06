import { HEADERS, type HeaderName, type Reply, type ReplyHeader } from '../http/responses.js';
import type { Schemas } from './json-schema.js';
import type { Header, Response } from './types.js';

/** `more` are the headers that it has by what its endpoint is. */
export function responseOf(reply: Reply, schemas: Schemas, more: readonly ReplyHeader[] = []): Response {
  const { description } = reply;
  const headers = headersOf([...reply.headers, ...more]);
  switch (reply.kind) {
    case 'json':
      return { description, headers, content: { 'application/json': { schema: schemas.output(reply.schema) } } };
    case 'stream':
      return { description, headers, content: { [reply.mediaType]: {} } };
    case 'empty':
      return { description, headers };
  }
}

/** The headers of an answer; every answer has the id of its request. */
export function headersOf(names: readonly ReplyHeader[]): Record<string, Header> {
  const all: ReplyHeader[] = ['X-Request-Id', ...names];
  return Object.fromEntries(
    all.map((header) => {
      // The cast: without its question mark it is a name.
      const name = header.replace('?', '') as HeaderName;
      return [name, { description: HEADERS[name], required: name === header, schema: { type: 'string' } }];
    }),
  );
}
