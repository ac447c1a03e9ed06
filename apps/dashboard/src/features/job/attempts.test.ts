import { describe, expect, it } from 'vitest';
import type { LogLine } from '../../product/log/lines.js';
import { attemptsOf, type JobTimes, spanOf, stepAttempt } from './attempts.js';

const START = Date.parse('2026-11-21T10:00:00.000Z');
const failed: JobTimes = { status: 'failed', createdAt: new Date(START).toISOString(), errorCode: 'handler_error' };

/** Creates log lines from [milliseconds after the creation of the job, attempt, message]. */
const log = (...lines: [number, number, string][]): LogLine[] =>
  lines.map(([ms, attempt, message]) => ({
    attempt,
    message,
    level: 'info',
    timestamp: new Date(START + ms).toISOString(),
  }));

const twoTries = log(
  [300, 1, 'attempt 1 started'],
  [400, 1, 'looking'],
  [1_300, 1, 'attempt 1 failed: no; the next attempt is due in 1000 ms'],
  [2_300, 2, 'attempt 2 started'],
  [4_300, 2, 'attempt 2 failed: no; no attempt follows'],
);

describe('the attempts of a log', () => {
  it('an attempt lasts from its start to its end, and its waiting time comes before it', () => {
    const attempts = attemptsOf(twoTries, failed);
    expect(attempts.map(({ number, end, waitedMs }) => [number, end, waitedMs])).toEqual([
      [1, 'failed', 300],
      [2, 'failed', 1_000],
    ]);
    expect(attempts.map((attempt) => spanOf(attempt, START + 60_000))).toEqual([1_000, 2_000]);
  });

  it('a running attempt grows with the current time', () => {
    const [running] = attemptsOf(twoTries.slice(0, 2), { ...failed, status: 'processing', errorCode: null });
    expect(running?.end).toBe('running');
    expect(running && spanOf(running, START + 5_300)).toBe(5_000);
  });

  it('a log line after the end of an attempt does not extend it', () => {
    const lines = log(
      [0, 1, 'attempt 1 started'],
      [70, 1, 'attempt 1 succeeded in 50 ms'],
      [90_000, 1, 'the payment was made'],
    );
    const [attempt] = attemptsOf(lines, { ...failed, status: 'done', errorCode: null });
    expect(attempt).toMatchObject({ end: 'done', endedAt: START + 50 });
  });

  it('a dead worker, a stopped worker and a cancellation are distinguished from a failure', () => {
    const lines = log(
      [0, 1, 'attempt 1 started'],
      [10, 1, 'the worker was lost during attempt 1; the job is taken over'],
      [20, 2, 'attempt 2 started'],
      [30, 2, 'attempt 2 handed back: the worker stops'],
      [40, 3, 'attempt 3 started'],
      [50, 3, 'attempt 3 failed: the job was canceled; no attempt follows'],
    );
    const ends = attemptsOf(lines, { ...failed, errorCode: 'canceled' }).map(({ end }) => end);
    expect(ends).toEqual(['lost', 'returned', 'canceled']);
  });

  it('an attempt stays failed if the job is canceled while it waits for the next attempt', () => {
    const lines = [...twoTries.slice(0, 3), ...log([1_500, 1, 'canceled before it started again'])];
    const [attempt] = attemptsOf(lines, { ...failed, errorCode: 'canceled' });
    expect(attempt).toMatchObject({ end: 'failed', endedAt: START + 1_300 });
  });

  it('a job that was canceled before it started has no attempts', () => {
    expect(attemptsOf(log([5, 1, 'canceled before it started']), failed)).toEqual([]);
  });
});

it('stepAttempt selects the first or last attempt, then its neighbors, and nothing beyond the ends', () => {
  const attempts = attemptsOf(twoTries, failed);
  expect(stepAttempt(attempts, null, 1)).toBe(1);
  expect(stepAttempt(attempts, 1, 1)).toBe(2);
  expect(stepAttempt(attempts, 2, 1)).toBeNull();
  expect(stepAttempt(attempts, null, -1)).toBe(2);
  expect(stepAttempt([], null, 1)).toBeNull();
});
