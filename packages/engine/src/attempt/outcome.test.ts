import { inspect } from 'node:util';
import { HandlerError, OutboundForbidden, PermanentError, Postponed, RetryLater } from '@jobline/handlers';
import { describe, expect, it } from 'vitest';
import { decideOutcome, type HandlerResult, outcomeWithoutRetry } from './outcome.js';

const policy = { baseMs: 100, maxMs: 10_000 };
const decide = (end: HandlerResult, retries = 0, maxRetries = 3, isExpired = false) =>
  decideOutcome(end, { retries, maxRetries, isExpired }, policy, 0.5);
const unreadable = () => {
  throw new Error('not readable');
};
const threw = (error: unknown): HandlerResult => ({ kind: 'threw', error });

describe('a job whose handler returned', () => {
  it.each([
    [{ a: 1 }, '{"a":1}'],
    [undefined, 'null'],
    ['text', '"text"'],
    [{ odd: '\0\ud800' }, '{"odd":"\\u0000\\ud800"}'],
  ])('is done with %j as its result', (value, result) => {
    expect(decide({ kind: 'returned', value })).toEqual({ kind: 'done', result });
  });

  it.each([
    ['is not JSON', { big: 1n }],
    ['is too large', 'x'.repeat(1024 * 1024)],
  ])('fails permanently if the returned value %s', (_why, value) => {
    expect(decide({ kind: 'returned', value })).toMatchObject({ kind: 'failed', error: { code: 'handler_error' } });
  });
});

describe('a job whose handler threw', () => {
  it('is retried after the backoff while retries are left', () => {
    const error = { code: 'handler_error', message: 'broken' };
    expect(decide(threw(new Error('broken')), 0)).toEqual({ kind: 'retry', delayMs: 100, error });
    expect(decide(threw(new Error('broken')), 2)).toEqual({ kind: 'retry', delayMs: 400, error });
    expect(decide(threw(new Error('broken')), 3)).toEqual({ kind: 'failed', error });
    expect(decide(threw(new Error('broken')), 0, 0)).toEqual({ kind: 'failed', error });
  });

  it.each([
    ['a PermanentError', new PermanentError('gone'), 'handler_error'],
    ['a forbidden address', new OutboundForbidden('not there'), 'outbound_forbidden'],
    ['a broken payload', new HandlerError('invalid_payload', 'payload.to is missing'), 'invalid_payload'],
  ])('is not retried after %s', (_what, error, code) => {
    expect(decide(threw(error))).toMatchObject({ kind: 'failed', error: { code } });
  });

  it.each([
    ['raises the wait', 5_000, 5_000],
    ['never lowers it', 5, 100],
    ['is bounded by the maximum', 1e12, 10_000],
  ])('waits for the delay of RetryLater, which %s', (_how, askedMs, delayMs) => {
    expect(decide(threw(new RetryLater(askedMs, 'wait')))).toMatchObject({ kind: 'retry', delayMs });
  });

  it('is not retried after the job has expired, but keeps its own error', () => {
    expect(decide(threw(new Error('late')), 0, 3, true)).toEqual({
      kind: 'failed',
      error: { code: 'handler_error', message: 'late' },
    });
    expect(decide(threw(new Postponed(5, 'busy')), 0, 3, true).kind).toBe('postponed');
  });

  it('has an error message of bounded length that Postgres can store, whatever it threw', () => {
    const messageOf = (error: unknown) => {
      const outcome = decide(threw(error), 0, 0);
      return outcome.kind === 'failed' ? outcome.error.message : outcome;
    };
    expect(messageOf(new Error('nul \0 odd \ud800'))).toBe('nul \ufffd odd \ufffd');
    expect(messageOf(new Error('x'.repeat(10_000)))).toHaveLength(2_048);
    expect(messageOf(new Error(''))).toBe('Error');
    expect(messageOf(null)).toBe('null');
    expect(messageOf({ toString: null })).toBe('{ toString: null }');
    expect(messageOf(Object.assign(new Error('x'), { message: Object.create(null) }))).toMatch(/cannot be converted/);
    expect(messageOf({ [inspect.custom]: () => unreadable() })).toMatch(/cannot be converted/);
    expect(messageOf(new Proxy({}, { getPrototypeOf: unreadable }))).toMatch(/cannot be converted/);
  });
});

it('a job whose attempt exceeds the time limit fails with timeout and is retried', () => {
  const end: HandlerResult = { kind: 'timed-out', limitMs: 1_500 };
  expect(decide(end)).toMatchObject({
    kind: 'retry',
    error: { code: 'timeout', message: 'the handler took longer than 1.5 s' },
  });
});

it('a job whose run was interrupted is released and uses no retry', () => {
  expect(decide({ kind: 'interrupted', reason: 'the worker is shutting down' }, 3)).toEqual({
    kind: 'released',
    reason: 'the worker is shutting down',
  });
});

it('a postponed job runs again after its delay, uses no retry, and can be canceled', () => {
  const end: HandlerResult = { kind: 'threw', error: new Postponed(90_000, 'too many SMS') };
  const postponed = { kind: 'postponed', delayMs: 90_000, reason: 'too many SMS' } as const;

  expect(decide(end, 3)).toEqual(postponed);
  expect(outcomeWithoutRetry(postponed)).toMatchObject({ kind: 'failed', error: { code: 'canceled' } });
});

it('a job is postponed for at most thirty days, whatever its handler requests', () => {
  expect(decide(threw(new Postponed(Number.POSITIVE_INFINITY, 'never')))).toMatchObject({
    kind: 'postponed',
    delayMs: 30 * 86_400_000,
  });
});

it('a job that was canceled while it ran fails with canceled, even if retries are left', () => {
  const error = { code: 'canceled', message: 'the job was canceled' };
  expect(decide({ kind: 'canceled' })).toEqual({ kind: 'failed', error });
});

it('a canceled job fails instead of running again: with its own error, or with canceled if it had none', () => {
  const error = { code: 'timeout', message: 'the handler took longer than 1 s' } as const;
  expect(outcomeWithoutRetry({ kind: 'retry', delayMs: 100, error })).toEqual({ kind: 'failed', error });
  expect(outcomeWithoutRetry({ kind: 'released', reason: 'the worker is shutting down' })).toMatchObject({
    kind: 'failed',
    error: { code: 'canceled' },
  });
  expect(outcomeWithoutRetry({ kind: 'done', result: '1' })).toBeNull();
  expect(outcomeWithoutRetry({ kind: 'failed', error })).toBeNull();
});
