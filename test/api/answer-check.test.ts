import { expect, it } from 'vitest';
import { checkAnswer, SECURITY_HEADERS } from '../harness/index.js';

/** Tests of the response check itself: a check that finds nothing would pass every test. */

const JOB = {
  id: 'order-1',
  type: 'a',
  status: 'done',
  retries: 0,
  max_retries: 0,
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  payload: { any: ['thing', null] },
};
const ERROR = { code: 'not_found', message: 'There is nothing here.', request_id: 'r1' };
const AUTH = { 'www-authenticate': 'Bearer' };
const FILE = {
  'content-type': 'image/png',
  'content-disposition': 'attachment',
  'content-security-policy': 'sandbox',
  'x-content-type-options': 'nosniff',
  etag: '"x"',
};
const LIMITS = { 'ratelimit-limit': '9', 'ratelimit-remaining': '8', 'ratelimit-reset': '1' };
const SECURITY = Object.fromEntries(SECURITY_HEADERS.map((name) => [name, 'as it should be']));
const { payload: _, ...JOB_WITHOUT_PAYLOAD } = JOB;

/** Every response here is valid until a test changes it. */
function check(
  method: string,
  path: string,
  status: number,
  body: unknown,
  headers: Record<string, string | null> = {},
): () => void {
  const isRead = method !== 'POST' && status === 200;
  const all = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': 'r1',
    ...SECURITY,
    ...(isRead && LIMITS),
    ...headers,
  };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  const text = body === undefined ? '' : JSON.stringify(body);
  return () => checkAnswer(method, path, { status, headers: new Headers(sent), text });
}

it.each([
  ['a job', check('GET', '/jobs/order-1', 200, JOB)],
  [
    'a page of a list',
    check('GET', '/jobs?limit=1', 200, [JOB_WITHOUT_PAYLOAD], { link: '<x>', 'x-next-cursor': 'y' }),
  ],
  ['the last page', check('GET', '/jobs', 200, [])],
  ['no body', check('POST', '/auth/logout', 204, undefined, { 'content-type': null })],
  ['a file', check('GET', '/jobs/a/artifacts/b', 200, 'any', FILE)],
  ['the answer to HEAD', check('HEAD', '/jobs/order-1', 200, undefined)],
  ['an error', check('GET', '/jobs/order-1', 404, { error: ERROR })],
  ['an unknown path', check('GET', '/nowhere', 404, { error: ERROR })],
  ['a wrong method', check('PUT', '/jobs', 405, { error: { ...ERROR, code: 'method_not_allowed' } }, { allow: 'GET' })],
])('a response that matches the API document passes: %s', (_name, checking) => {
  expect(checking).not.toThrow();
});

it.each([
  ['a column too many', check('GET', '/jobs/x', 200, { ...JOB, org_id: '1' }), 'org_id'],
  [
    'a header of security that is missing',
    check('GET', '/nowhere', 404, { error: ERROR }, { 'cache-control': null }),
    'cache-control',
  ],
  ['the same in a list', check('GET', '/jobs', 200, [{ ...JOB_WITHOUT_PAYLOAD, key: '1' }]), 'body/0'],
  ['a field too few', check('GET', '/jobs/x', 200, JOB_WITHOUT_PAYLOAD), "required property 'payload'"],
  ['an unknown status of a job', check('GET', '/jobs/x', 200, { ...JOB, status: 'completed' }), 'body/status'],
  [
    'a time without milliseconds',
    check('GET', '/jobs/x', 200, { ...JOB, created_at: '2026-01-31T12:00:00Z' }),
    'pattern',
  ],
  ['an id of odd characters', check('GET', '/jobs/x', 200, { ...JOB, id: 'a b' }), 'pattern'],
  ['no JSON', check('GET', '/jobs/x', 200, undefined), 'body must be object'],
  ['a status that is not documented', check('GET', '/jobs/x', 202, JOB), 'the document does not list the status'],
  [
    'an error of another endpoint',
    check('GET', '/healthz', 404, { error: ERROR }),
    'the document does not list the status',
  ],
  [
    'an error with the code of another status',
    check('GET', '/jobs/x', 401, { error: ERROR }, AUTH),
    'the code is not one of',
  ],
  ['an unknown error code', check('GET', '/jobs/x', 404, { error: { ...ERROR, code: 'oops' } }), 'body/error/code'],
  ['no WWW-Authenticate', check('GET', '/jobs', 401, { error: { ...ERROR, code: 'unauthenticated' } }), 'WWW-Auth'],
  ['no request id', check('GET', '/jobs/x', 200, JOB, { 'x-request-id': null }), 'X-Request-Id is missing'],
  ['no cursor in a log', check('GET', '/jobs/x/logs', 200, []), 'X-Next-Cursor is missing'],
  [
    'a header too many',
    check('GET', '/jobs/x', 200, JOB, { 'x-powered-by': 'us' }),
    'the document does not list the header x-powered-by',
  ],
  ['another content type', check('GET', '/jobs/x', 200, JOB, { 'content-type': 'text/html' }), 'content-type'],
  ['a body where none is due', check('POST', '/auth/logout', 204, {}), 'there is a body'],
  ['a path that there is not', check('GET', '/nowhere', 200, JOB), 'no such path'],
  ['a method that there is not', check('PUT', '/jobs', 200, JOB), 'no such method'],
  ['a 405 without Allow', check('PUT', '/jobs', 405, { error: ERROR }), 'allow is missing'],
])('a response that does not match the API document fails: %s', (_name, checking, words) => {
  expect(checking).toThrow(words);
});
