import { expect, test } from 'vitest';
import { MAX_RETRY_AFTER_MS, retryAfterMs } from './retry-after.js';

const NOW_MS = Date.parse('1994-11-06T08:49:00Z');

test.each([
  ['seconds', '120', 120_000],
  ['no wait', '0', 0],
  ['seconds with spaces around them', ' 5 ', 5_000],
  ['an HTTP-date', 'Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
  ['a past date', 'Sun, 06 Nov 1994 08:48:00 GMT', 0],
  ['a wait of several weeks', '9999999', MAX_RETRY_AFTER_MS],
  ['more digits than a number can hold', '9'.repeat(400), MAX_RETRY_AFTER_MS],
  ['a date many years ahead', 'Fri, 01 Jan 2100 00:00:00 GMT', MAX_RETRY_AFTER_MS],
])('a Retry-After header with %s is read', (_what, header, expected) => {
  expect(retryAfterMs(header, NOW_MS)).toBe(expected);
});

test.each([
  undefined,
  '',
  'soon',
  '-5',
  '1.5',
  '1e3',
  '0x10',
  '2026-01-01',
  'Sun, 99 Nov 1994 08:49:37 GMT',
  'Sun Nov  6 08:49:37 1994',
  '5, 10',
])('the Retry-After header %j is ignored', (header) => {
  expect(retryAfterMs(header, NOW_MS)).toBeNull();
});
