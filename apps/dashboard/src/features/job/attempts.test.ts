import { describe, expect, it } from 'vitest';
import type { LogLine } from '../../product/log/lines.js';
import { attemptsOf, type JobTimes, spanOf, stepAttempt } from './attempts.js';

const START = Date.parse('2026-11-21T10:00:00.000Z');
const failed: JobTimes = { status: 'failed', createdAt: new Date(START).toISOString() };

/** Entries as [milliseconds after the job was created, attempt, kind, duration]. */
const log = (...lines: [number, number, NonNullable<LogLine['kind']>, number?][]): LogLine[] =>
  lines.map(([ms, attempt, kind, duration]) => ({
    attempt,
    message: 'no page reads this',
    level: 'info',
    timestamp: new Date(START + ms).toISOString(),
    kind,
    duration_ms: duration ?? null,
  }));

const twoTries = log(
  [300, 1, 'started'],
  [400, 1, 'log'],
  [1_301, 1, 'failed', 1_000],
  [2_300, 2, 'started'],
  [4_301, 2, 'failed', 2_000],
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
    const [running] = attemptsOf(twoTries.slice(0, 2), { ...failed, status: 'processing' });
    expect(running?.end).toBe('running');
    expect(running && spanOf(running, START + 5_300)).toBe(5_000);
  });

  it('a log line after the end of an attempt does not extend it', () => {
    const lines = log([0, 1, 'started'], [70, 1, 'succeeded', 50], [90_000, 1, 'note']);
    const [attempt] = attemptsOf(lines, { ...failed, status: 'done' });
    expect(attempt).toMatchObject({ end: 'succeeded', endedAt: START + 50 });
  });

  it('a dead worker, a stopped worker and a cancellation are distinguished from a failure', () => {
    const lines = log(
      [0, 1, 'started'],
      [10, 1, 'worker_lost', 10],
      [20, 2, 'started'],
      [30, 2, 'released', 10],
      [40, 3, 'started'],
      [45, 3, 'canceled'],
      [50, 3, 'canceled', 10],
    );
    const ends = attemptsOf(lines, failed).map(({ end }) => end);
    expect(ends).toEqual(['worker_lost', 'released', 'canceled']);
  });

  it('an attempt that was canceled after its worker died ends, also if the job is retried', () => {
    const lines = log(
      [0, 1, 'started'],
      [10, 1, 'canceled', 10],
      [20, 1, 'note'],
      [30, 2, 'started'],
      [40, 2, 'succeeded', 10],
    );
    const ends = attemptsOf(lines, { ...failed, status: 'done' }).map(({ end }) => end);
    expect(ends).toEqual(['canceled', 'succeeded']);
  });

  it('an attempt stays failed if the job is canceled while it waits for the next attempt', () => {
    const lines = [...twoTries.slice(0, 3), ...log([1_500, 1, 'canceled'])];
    const [attempt] = attemptsOf(lines, failed);
    expect(attempt).toMatchObject({ end: 'failed', endedAt: START + 1_300 });
  });

  it('a job that was canceled before it started has no attempts', () => {
    expect(attemptsOf(log([5, 1, 'canceled']), failed)).toEqual([]);
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
