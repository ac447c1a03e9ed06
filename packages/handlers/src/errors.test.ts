import { expect, test, vi } from 'vitest';
import {
  failureOf,
  HandlerError,
  MAX_RETRY_AFTER_MS,
  OutboundForbidden,
  PermanentError,
  Postponed,
  ProviderFailure,
  RetryLater,
  retryAfterMs,
} from './errors.js';

test.each([
  [
    'an error of a handler',
    new Error('no'),
    { code: 'handler_error', isPermanent: false, isPostponed: false, delayMs: 0 },
  ],
  ['a value that is not an error', 'no', { code: 'handler_error', isPermanent: false, isPostponed: false, delayMs: 0 }],
  ['nothing', undefined, { code: 'handler_error', isPermanent: false, isPostponed: false, delayMs: 0 }],
  [
    'an error of Node with a code',
    Object.assign(new Error('no'), { code: 'timeout' }),
    { code: 'handler_error', isPermanent: false, isPostponed: false, delayMs: 0 },
  ],
  [
    'HandlerError',
    new HandlerError('timeout', 'no'),
    { code: 'timeout', isPermanent: false, isPostponed: false, delayMs: 0 },
  ],
  [
    'PermanentError',
    new PermanentError('no'),
    { code: 'handler_error', isPermanent: true, isPostponed: false, delayMs: 0 },
  ],
  [
    'RetryLater',
    new RetryLater(500, 'no'),
    { code: 'provider_unavailable', isPermanent: false, isPostponed: false, delayMs: 500 },
  ],
  ['Postponed', new Postponed(9, 'no'), { code: 'handler_error', isPermanent: false, isPostponed: true, delayMs: 9 }],
  [
    'a subclass of PermanentError',
    new OutboundForbidden('no'),
    { code: 'outbound_forbidden', isPermanent: true, isPostponed: false, delayMs: 0 },
  ],
])('the failure of %s is read from what was thrown', (_what, thrown, failure) => {
  expect(failureOf(thrown)).toEqual(failure);
});

// The module of a handler outside the workspace may contain a copy of the package.
test('errors of another copy of the package are handled like our own', async () => {
  vi.resetModules();
  const copy = await import('./errors.js');
  const thrown = new copy.PermanentError('no');

  expect(thrown).not.toBeInstanceOf(PermanentError);
  expect(failureOf(thrown)).toEqual({ code: 'handler_error', isPermanent: true, isPostponed: false, delayMs: 0 });
  expect(failureOf(new copy.RetryLater(7, 'no')).delayMs).toBe(7);
});

test.each(['rejected', 'transient', 'throttled', 'ambiguous'] as const)(
  'a %s failure of a provider has the right code and delay',
  (kind) => {
    const code = kind === 'rejected' ? 'provider_rejected' : 'provider_unavailable';

    expect(failureOf(new ProviderFailure(kind, 'no'))).toEqual({
      code,
      isPermanent: false,
      isPostponed: false,
      delayMs: 0,
    });
    expect(failureOf(new ProviderFailure(kind, 'no', { retryAfterMs: 7 }))).toMatchObject({ delayMs: 7 });
    expect(new ProviderFailure(kind, 'no').kind).toBe(kind);
  },
);

test('the message of a provider failure is one line with a maximum length', () => {
  expect(new ProviderFailure('rejected', ' no\r\n\u001b[31mway\u0000 ').message).toBe('no [31mway');
  expect(new ProviderFailure('rejected', 'x'.repeat(10_000)).message).toHaveLength(501);
});

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
