import type { JobKey, OrgId } from '@jobline/contracts';
import type { Claim, RunningLine } from '@jobline/db/job-transitions';
import { expect, it } from 'vitest';
import { Cancellation, createRuns, createStop } from './runs.js';

// The casts: no job and no organization has these ids.
const claim = (token: string): Claim => ({
  key: 'key' as JobKey,
  token,
  orgId: 'org' as OrgId,
  type: 'a',
  queue: 'io',
  seq: 1,
  payload: '{}',
  payloadBytes: 2,
  attempt: 1,
  retries: 0,
  maxRetries: 0,
  crashCount: 0,
  traceparent: null,
  startedAt: new Date(),
  expiresAt: null,
  wasHeld: false,
  limitKey: null,
  refers: null,
  id: 'id',
  tags: null,
  priority: 0,
  createdAt: new Date(),
  runAt: new Date(),
  scheduleId: null,
  plannedAt: null,
});

it('a cancellation that arrives before the answer to the claim stops the run', () => {
  const runs = createRuns();
  runs.expect('token');

  runs.cancel('token');

  expect(runs.open(claim('token')).stop.reason()).toBeInstanceOf(Cancellation);
});

it('a cancellation does not stop another run of the same job', () => {
  const runs = createRuns();
  runs.cancel('earlier');
  runs.expect('earlier');
  expect(runs.open(claim('earlier')).stop.reason()).toBeNull();

  runs.expect('refused');
  runs.cancel('refused');
  runs.forget('refused');
  runs.expect('refused');
  expect(runs.open(claim('refused')).stop.reason()).toBeNull();
});

it('a run keeps the first reason for which its signal fired', () => {
  const runs = createRuns();
  runs.expect('token');
  const { stop } = runs.open(claim('token'));

  runs.interruptAll('the worker is shutting down');
  runs.cancel('token');

  expect(stop.reason()).toMatchObject({ message: 'the worker is shutting down' });
});

/** Opens attempts, each with a line of the given length, and keeps the written statements. */
function openWithLines(lengths: readonly number[]) {
  const runs = createRuns();
  const attempts = lengths.map((length, i) => {
    const attempt = runs.open(claim(`token ${i}`));
    for (let left = length; left > 0; left -= 8_000) attempt.log.write('info', 'x'.repeat(Math.min(left, 8_000)));
    return attempt;
  });
  const statements: (readonly RunningLine[])[] = [];
  return { runs, attempts, statements };
}
const lengthOf = (lines: readonly RunningLine[]) => lines.reduce((sum, { message }) => sum + (message?.length ?? 0), 0);

it('log lines of many attempts are written in statements of bounded length, each line once', async () => {
  const { runs, statements } = openWithLines(Array.from({ length: 40 }, () => 100_000));

  await runs.flushLogs(async (lines) => {
    statements.push(lines);
    return new Set();
  });

  expect(statements.map(lengthOf)).toEqual([1_100_000, 1_100_000, 1_100_000, 700_000]);
  expect(new Set(statements.flat().map(({ token }) => token)).size).toBe(40);
});

it('the lines of an attempt whose handler has returned are left to its record', async () => {
  const { runs, attempts, statements } = openWithLines([1, 1]);
  const [first] = attempts;
  if (first) first.hasReturned = true;
  const append = async (lines: readonly RunningLine[]) => {
    statements.push(lines);
    return new Set<string>();
  };

  await runs.flushLogs(append);
  expect(statements.flat().map(({ token }) => token)).toEqual(['token 1']);

  await runs.flushLogs(append, first);
  expect(statements.flat().map(({ token }) => token)).toEqual(['token 1', 'token 0']);
});

it('log lines whose statement was not answered are numbered when they are written again', async () => {
  const { runs, attempts, statements } = openWithLines([1]);
  const append = async (lines: readonly RunningLine[]) => {
    statements.push(lines);
    return new Set<string>();
  };
  await runs.flushLogs(append);
  attempts[0]?.log.write('info', 'two');
  await expect(runs.flushLogs(() => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
  attempts[0]?.log.write('info', 'three');
  await runs.flushLogs(append);
  attempts[0]?.log.write('info', 'four');
  await runs.flushLogs(append);

  expect(statements.map((lines) => lines.map(({ message, nth }) => [message, nth]))).toEqual([
    [['x', null]],
    [
      ['two', 2],
      ['three', 3],
    ],
    [['four', null]],
  ]);
});

it('log lines of a job whose row is locked are written later, and do not count as new until then', async () => {
  const { runs, statements } = openWithLines([1]);

  const orgIds = await runs.flushLogs(async () => new Set(['token 0']));
  await runs.flushLogs(async (lines) => {
    statements.push(lines);
    return new Set();
  });

  expect(orgIds.size).toBe(0);
  expect(statements.flat()).toMatchObject([{ message: 'x', nth: null }]);
});

const [first, second] = [new Error('first'), new Error('second')];

it('a stop fires once, with the first reason', () => {
  const stop = createStop();
  const calls: string[] = [];
  stop.onFire(() => calls.push('before'));
  expect(stop.reason()).toBeNull();

  stop.fire(first);
  stop.fire(second);
  stop.onFire(() => calls.push('after'));

  expect(stop.reason()).toBe(first);
  expect(calls).toEqual(['before', 'after']);
});

it('a stop has one signal, which is aborted with the same reason, whether it was asked for before or after', () => {
  const [asked, unasked] = [createStop(), createStop()];
  const signal = asked.signal();
  expect(signal.aborted).toBe(false);

  asked.fire(first);
  unasked.fire(second);

  expect(asked.signal()).toBe(signal);
  expect(signal.reason).toBe(first);
  expect(unasked.signal().reason).toBe(second);
});
