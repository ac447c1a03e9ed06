import { HEADERS, type HeaderName, type ResponseHeader, type ResponseSpec } from '../http/response-specs.js';
import type { Schemas } from './json-schema.js';
import type { Header, Response } from './types.js';

/** `more`: headers that follow from other fields of the endpoint. */
export function responseOf(reply: ResponseSpec, schemas: Schemas, more: readonly ResponseHeader[] = []): Response {
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

/** The headers of a response. Every response has the request id. */
export function headersOf(names: readonly ResponseHeader[]): Record<string, Header> {
  const all: ResponseHeader[] = ['X-Request-Id', ...names];
  return Object.fromEntries(
    all.map((header) => {
      // The cast: without the question mark it is a HeaderName.
      const name = header.replace('?', '') as HeaderName;
      return [name, { description: HEADERS[name], required: name === header, schema: { type: 'string' } }];
    }),
  );
}
