import { expect, test } from 'vitest';
import { payloadIssues } from '../payload.js';
import { createCatalogue } from './index.js';

const PAYLOAD = { url: 'https://user-chosen.example/hook', payload: { b: 1 } };

const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, 'a']));

test.each<[object, string[]]>([
  [{ method: 'GET', payload: undefined }, []],
  [{ headers: named(20) }, []],
  [{ headers: { 'x-a': 'Ünïcode' } }, []],
  [{ headers: named(21) }, ['payload.headers']],
  [{ headers: { 'x-a': 'a', 'X-A': 'b' } }, ['payload.headers']],
  [{ headers: { 'x-a': 'a\nb' } }, ['payload.headers']],
  [{ headers: { 'x-a': '€' } }, ['payload.headers']],
  [{ headers: { 'x-a': 7 } }, ['payload.headers']],
  [{ headers: { 'x-a': { $secret: 'erp' } } }, []],
  [{ headers: { 'x-a': { $secret: 'erp', more: 1 } } }, ['payload.headers']],
  [{ headers: { 'x-a': { $secret: 'no name' } } }, ['payload.headers']],
  ...[
    '',
    'X-Ünïcode',
    'Host',
    'content-length',
    'Connection',
    'te',
    'Transfer-Encoding',
    'proxy-authorization',
    'Webhook-Id',
  ].map((name): [object, string[]] => [{ headers: { [name]: 'a' } }, ['payload.headers']]),
  ...[[], null].map((headers): [object, string[]] => [{ headers }, ['payload.headers']]),
  [{ method: 'HEAD' }, ['payload.method']],
  [{ method: 'PUT', payload: undefined }, ['payload.payload']],
])('a webhook with %j has issues at %j', (more, paths) => {
  const given = JSON.parse(JSON.stringify({ ...PAYLOAD, ...more }));

  expect(payloadIssues(createCatalogue(), 'webhook', given).map(({ path }) => path)).toEqual(paths);
});
