import type { OpenApiDocument } from '@jobline/api/openapi';
import fc from 'fast-check';
import { CALLBACK_SECRET } from '../walk/rows.js';
import { bodiesOf, CALLBACKS } from './bodies.js';
import { anyName, encoded, headersOf, type Named, pathsOf, queriesOf, rarely } from './heads.js';
import { createValues } from './values.js';

/** A request as it is sent; `caller` decides its credential. */
export interface WireRequest {
  operation: string;
  method: string;
  path: string;
  caller: string;
  headers: Record<string, string>;
  body?: Buffer | undefined;
  chunked?: boolean | undefined;
}

/** A caller and how often it is chosen in relation to the others. */
export interface Caller {
  name: string;
  weight: number;
}

// biome-ignore lint/suspicious/noExplicitAny: an operation, read as the document has it
type Operation = any;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
const JSON_TYPE = 'application/json';
/** Paths without an endpoint. '/' is not one of them: it is a page, and the document describes only the API. */
const ODD_PATHS = [
  '//',
  '/jobs/',
  '/jobs//logs',
  '/JOBS',
  '/jobs/x/y/z',
  '/%',
  '/..',
  '/.env',
  '/org',
  '/*',
  '/jobs;a=b',
  '/%6a%6f%62%73',
];

/** Requests for every operation of a document, from valid ones to arbitrary ones. */
export function wireRequests(
  document: OpenApiDocument,
  names: readonly Named[],
  callers: readonly Caller[],
): fc.Arbitrary<WireRequest> {
  const valuesOf = createValues(document, anyName(names));
  const caller = fc.oneof(...callers.map(({ name, weight }) => ({ weight, arbitrary: fc.constant(name) })));
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestTo(method.toUpperCase(), path, operation)),
  );
  const oddPath = fc.record<WireRequest>({
    operation: fc.constant('(no such path)'),
    method: fc.constantFrom(...METHODS),
    path: fc.oneof(
      fc.constantFrom(...ODD_PATHS),
      fc.webPath({ size: 'small' }).map((path) => `/odd${path}`),
    ),
    caller,
    headers: fc.constant({}),
  });
  return fc.oneof({ weight: operations.length, arbitrary: fc.oneof(...operations) }, { weight: 2, arbitrary: oddPath });

  function requestTo(method: string, path: string, operation: Operation): fc.Arbitrary<WireRequest> {
    const { operationId, parameters = [], requestBody } = operation;
    const schema = requestBody?.content?.[JSON_TYPE]?.schema;
    const right = schema ? valuesOf(schema) : fc.oneof(fc.constantFrom(...CALLBACKS), fc.jsonValue());
    return fc
      .record({
        method: fc.oneof({ weight: 15, arbitrary: fc.constant(method) }, fc.constantFrom(...METHODS)),
        path: pathsOf(path, parameters, names),
        query:
          requestBody && !schema
            ? fc.constantFrom(`?secret=${encoded(CALLBACK_SECRET)}`, '', '?secret=x')
            : queriesOf(parameters, names, valuesOf),
        headers: headersOf(parameters, names),
        // An operation without a body sometimes gets one.
        body: requestBody
          ? fc.option(bodiesOf(right), { freq: 20, nil: undefined })
          : rarely(fc.constant(Buffer.from('{}'))),
        caller,
        chunked: rarely(fc.constant(true)),
      })
      .map(({ path: text, query, headers, body, ...rest }) => ({
        ...rest,
        operation: operationId,
        path: wireText(text + query),
        headers: { ...(body && { 'content-type': JSON_TYPE }), ...headers },
        ...(body && { body }),
      }));
  }
}

/** Keeps the characters that a client can put into a request line. */
function wireText(text: string): string {
  return text.replace(/[^\x21-\x7e]|[#\\]/g, (character) => encoded(character));
}
