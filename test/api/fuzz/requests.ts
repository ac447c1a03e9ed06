import type { OpenApiDocument } from '@jobline/api/openapi';
import fc from 'fast-check';
import { CALLBACK_SECRET } from '../walk/rows.js';
import { almost, createValues, matching, oddText, oddValue } from './values.js';

/** A request as it goes over the wire; `caller` becomes its credential. */
export interface WireRequest {
  operation: string;
  method: string;
  path: string;
  caller: string;
  headers: Record<string, string>;
  body?: Buffer | undefined;
  chunked?: boolean | undefined;
}

/** What something is called, and after which part of a path: `jobs` in `/jobs/{id}/logs`. */
export interface Named {
  kind: string;
  name: string;
}

/** Who calls, and how often beside the others. */
export interface Caller {
  name: string;
  weight: number;
}

// biome-ignore lint/suspicious/noExplicitAny: an operation, looked into as the document has it
type Operation = any;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
const JSON_TYPE = 'application/json';
const TYPES = [
  '',
  'text/plain',
  'application/json; charset=utf-16',
  'application/json;',
  'multipart/form-data; boundary=x',
  'APPLICATION/JSON',
  'application/x-www-form-urlencoded',
  '\u00ff/\u00ff',
];
const ENCODINGS = ['gzip', 'br', 'identity', 'x'];
const ODD_SEGMENTS = [
  '%00',
  '%ZZ',
  '%C3%28',
  '..',
  '%2e%2e',
  '%2F',
  '%252F',
  '.',
  '*',
  ':id',
  '%F0%9F%98%80',
  '__proto__',
  'x'.repeat(4_000),
  '%20',
  '~',
  '0',
  'null',
];
const ODD_PATHS = [
  '/',
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
/** What has no schema is a provider's: M-PESA's and SendGrid's, as they are. */
const CALLBACKS = [
  {
    Body: {
      stkCallback: {
        MerchantRequestID: '1',
        CheckoutRequestID: 'ws_1',
        ResultCode: 0,
        ResultDesc: 'ok',
        CallbackMetadata: {
          Item: [
            { Name: 'MpesaReceiptNumber', Value: 'A1' },
            { Name: 'TransactionDate', Value: 20261121120000 },
          ],
        },
      },
    },
  },
  [
    {
      event: 'bounce',
      email: 'a@example.com',
      timestamp: 1,
      sg_event_id: 'e1',
      sg_message_id: 'm1.filter',
      jl_message_id: 'x',
    },
  ],
];
const MAX_BODY_BYTES = 1024 * 1024;

/** Requests for every operation of a document, from those that are in order to those that are nothing of the kind. */
export function wireRequests(
  document: OpenApiDocument,
  names: readonly Named[],
  callers: readonly Caller[],
): fc.Arbitrary<WireRequest> {
  const name = fc.constantFrom(...names.map(({ name }) => name));
  const valuesOf = createValues(document, name);
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
    return fc
      .record({
        method: fc.oneof({ weight: 15, arbitrary: fc.constant(method) }, fc.constantFrom(...METHODS)),
        path: pathOf(path, parameters),
        query:
          requestBody && !schema
            ? fc.constantFrom(`?secret=${encoded(CALLBACK_SECRET)}`, '', '?secret=x')
            : queryOf(parameters),
        headers: headersOf(parameters),
        // Where none is wanted, one is sent now and then.
        body: requestBody
          ? fc.option(bodyOf(schema), { freq: 20, nil: undefined })
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

  function pathOf(path: string, parameters: Operation[]): fc.Arbitrary<string> {
    const parts = path.split('/').map((part, i, all): fc.Arbitrary<string> => {
      const key = /^\{(\w+)\}$/.exec(part)?.[1];
      if (key === undefined) return fc.constant(part);
      const { schema } = parameters.find((parameter) => parameter.name === key) ?? {};
      const fitting = names.filter(({ kind }) => kind === all[i - 1]).map(({ name }) => name);
      return fc.oneof(
        {
          weight: fitting.length > 0 ? 8 : 0,
          arbitrary: (fitting.length > 0 ? fc.constantFrom(...fitting) : name).map(encoded),
        },
        { weight: 2, arbitrary: name.map(encoded) },
        { weight: 2, arbitrary: matching(schema?.pattern ?? '.').map(encoded) },
        {
          weight: 1,
          arbitrary: fc.oneof(
            fc.constantFrom(...ODD_SEGMENTS),
            oddText.map((text) => encoded(text.slice(0, 300))),
          ),
        },
      );
    });
    return fc.tuple(...parts).map((texts) => texts.join('/'));
  }

  function queryOf(parameters: Operation[]): fc.Arbitrary<string> {
    const known = parameters.filter((parameter) => parameter.in === 'query');
    const pair = ({ name: key, schema }: Operation) =>
      fc
        .oneof({ weight: 4, arbitrary: valuesOf(schema, key) }, oddText, name)
        .map((value) => `${encoded(key)}=${encoded(String(value).slice(0, 300))}`);
    const odd = fc.constantFrom(
      'x=1',
      'limit=1&limit=2',
      '=',
      '&&',
      'a[b]=1',
      '__proto__=1',
      'limit=%ZZ',
      '%00=%00',
      '?',
    );
    const pairs = known.length > 0 ? fc.array(fc.oneof(...known.map(pair)), { maxLength: 3 }) : fc.constant([]);
    return fc.tuple(pairs, rarely(odd)).map(([some, more]) => {
      const all = more === undefined ? some : [...some, more];
      return all.length > 0 ? `?${all.join('&')}` : '';
    });
  }

  function headersOf(parameters: Operation[]): fc.Arbitrary<Record<string, string>> {
    const visible = oddText.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 500));
    const known = parameters.filter((parameter) => parameter.in === 'header').map((parameter) => parameter.name);
    const odd: [string, fc.Arbitrary<string>][] = [
      ['content-type', fc.constantFrom(...TYPES)],
      ['content-encoding', fc.constantFrom(...ENCODINGS)],
      ['x-request-id', visible],
      ['accept', visible],
      ['range', fc.constantFrom('bytes=0-1', 'bytes=5-', 'x')],
      ['if-none-match', fc.constant('*')],
      ['x-http-method-override', fc.constant('DELETE')],
      ['x-forwarded-for', visible],
      ['forwarded', visible],
      ['origin', fc.constant('https://evil.example')],
      ['cookie', visible],
      ['expect', fc.constantFrom('100-continue', 'x')],
      ['host', fc.constantFrom('evil.example', 'a b', '[::1')],
    ];
    const told = known.map((header): [string, fc.Arbitrary<string>] => [
      header,
      fc.oneof(fc.constantFrom('k1', 'k2', '1', '1.1'), name, visible),
    ]);
    const one = (list: [string, fc.Arbitrary<string>][]) =>
      fc.oneof(...list.map(([key, value]) => value.map((text) => ({ [key]: text }))));
    const tells = told.length > 0 ? fc.option(one(told), { freq: 3, nil: {} }) : fc.constant({});
    return fc.tuple(rarely(one(odd)), tells).map(([some, more]) => ({ ...some, ...more }));
  }

  function bodyOf(schema: Operation | undefined): fc.Arbitrary<Buffer> {
    const right = schema ? valuesOf(schema) : fc.oneof(fc.constantFrom<unknown>(...CALLBACKS), fc.jsonValue());
    const text = right.map((value) => JSON.stringify(value));
    const json = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '');
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.tuple(text, fc.nat()).map(([all, n]) => Buffer.from(all.slice(0, n % all.length))),
      text.map((all) => Buffer.from(`\ufeff${all}`)),
      text.map((all) => Buffer.from(all, 'utf16le')),
      text.map((all) => Buffer.from(`${all}${all}`)),
      text.map((all) => Buffer.from(all.replace('{', '{"type":"a","type":"b",'))),
      fc
        .constantFrom('', ' ', 'null', '[]', '"x"', '1e999', '{"a":1,}', 'NaN', '['.repeat(100_000))
        .map((all) => Buffer.from(all)),
      fc.constantFrom(`{"a":"${'x'.repeat(MAX_BODY_BYTES)}"}`).map((all) => Buffer.from(all)),
      fc
        .constantFrom(`{"type":"a","payload":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_001)}`)
        .map((all) => Buffer.from(all)),
      fc
        .constantFrom('a=1&b[]=2&id=3', 'id=ATPid_1&status=Success', 'id=&status=Failed&failureReason=%00')
        .map((all) => Buffer.from(all)),
    );
    return fc.oneof(
      { weight: 13, arbitrary: right.map(json) },
      { weight: 10, arbitrary: almost(right).map(json) },
      { weight: 1, arbitrary: oddValue.map(json) },
      { weight: 2, arbitrary: garbage },
    );
  }
}

/** One time in eight. */
function rarely<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, value);
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** What a client can put into a request line. */
function wireText(text: string): string {
  return text.replace(/[^\x21-\x7e]|[#\\]/g, (character) => encoded(character));
}
