import { describe, expect, test } from 'vitest';
import { checkJob, type Expected, type Final, type LogEntry } from './check-job.js';
import { createRecords, type Recorded } from './records.js';

const FAULT = { from: Date.parse('2026-01-01T00:01:00Z'), to: Date.parse('2026-01-01T00:02:00Z') };
const DONE: Expected = { end: 'done', failures: 0, lines: 2, hasAttempts: true, isReported: false };

/** A log from lines such as `1 started 00:30`. */
function log(...lines: string[]): LogEntry[] {
  return lines.map((line) => {
    const [attempt, kind = '', at = '00:30'] = line.split(' ');
    return { attempt: Number(attempt), kind, message: kind, timestamp: `2026-01-01T00:${at}Z` };
  });
}

function final(entries: LogEntry[], status = 'done'): Final {
  const ends = entries.filter(({ kind }) => kind !== 'started' && kind !== 'log');
  const attempts = ends.map(({ attempt, kind }) => ({ attempt, outcome: kind }));
  return { status, story: { log: entries, attempts } };
}

/** What receivers saw of calls from these attempts. */
function seen(...attempts: number[]): Recorded {
  const records = createRecords(1);
  records.accepted(0, '00000000-0000-7000-8000-000000000000');
  for (const attempt of attempts) records.called(0, attempt);
  records.answered(0);
  const recorded = records.get(0);
  if (!recorded) throw new Error('it was accepted');
  return recorded;
}

const ONCE = log('1 started', '1 log', '1 log', '1 succeeded');
const LOST_WORKER = ['1 started 01:00', '1 worker_lost 01:20', '2 started 01:21', '2 log', '2 log', '2 succeeded'];

function kinds(expected: Expected, recorded: Recorded, answer: Final): string[] {
  return checkJob(expected, recorded, answer, FAULT).findings.map(({ kind }) => kind);
}

describe('the check of a job', () => {
  test('finds nothing in a job that ran once, was retried as planned, or lost its worker in the fault', () => {
    const retried = log('1 started', '1 log', '1 failed', '2 started', '2 log', '2 log', '2 succeeded');

    expect(kinds(DONE, seen(1), final(ONCE))).toEqual([]);
    expect(kinds({ ...DONE, failures: 1 }, seen(1, 2), final(retried))).toEqual([]);
    expect(kinds(DONE, seen(1, 2), final(log(...LOST_WORKER)))).toEqual([]);
    expect(checkJob(DONE, seen(1, 2), final(log(...LOST_WORKER)), FAULT).isRepeated).toBe(true);
  });

  test('finds a lost job', () => {
    expect(kinds(DONE, seen(), { status: undefined, story: null })).toEqual(['lost']);
  });

  test('finds what the status and the calls show, also without the log', () => {
    expect(kinds(DONE, seen(1), { status: 'done', story: null })).toEqual([]);
    expect(kinds(DONE, seen(), { status: 'failed', story: null })).toEqual(['wrong end', 'done without effect']);
  });

  test.each(['pending', 'processing'])('finds a job that stays %s', (status) => {
    expect(kinds(DONE, seen(1), final(ONCE, status))).toEqual(['stuck']);
  });

  test('finds a job that failed although it must be done', () => {
    const failed = log('1 started', '1 log', '1 failed');

    expect(kinds(DONE, seen(1), final(failed, 'failed'))).toEqual(['wrong end', 'log gap', 'unexpected failure']);
  });

  test('finds a job that is done although no receiver was called', () => {
    expect(kinds(DONE, seen(), final(ONCE))).toEqual(['done without effect']);
  });

  test('finds a retry that the receiver did not cause', () => {
    const retried = log('1 started', '1 log', '1 failed', '2 started', '2 log', '2 log', '2 succeeded');

    expect(kinds(DONE, seen(1, 2), final(retried))).toEqual(['run again without reason', 'unexpected failure']);
  });

  test('finds an attempt that was interrupted after the fault', () => {
    const late = LOST_WORKER.map((line) => line.replaceAll('01:', '03:'));

    expect(kinds(DONE, seen(1, 2), final(log(...late)))).toEqual(['interrupted outside of the fault']);
  });

  test('finds an attempt that two workers ran', () => {
    expect(kinds(DONE, seen(1, 1), final(ONCE))).toEqual([
      'same attempt run twice',
      'call without attempt',
      'run again without reason',
    ]);
  });

  test('finds a run of which the log knows nothing', () => {
    const second = log(...LOST_WORKER).filter(({ attempt }) => attempt === 2);

    expect(kinds(DONE, seen(1, 2), final(second))).toEqual([
      'log gap',
      'call without attempt',
      'call without attempt',
      'run again without reason',
    ]);
  });

  test.each([
    ['start', ['1 log', '1 log', '1 succeeded']],
    ['end', ['1 started', '1 log', '1 log']],
    ['line of the handler', ['1 started', '1 log', '1 succeeded']],
    ['single end', ['1 started', '1 log', '1 log', '1 released', '1 succeeded']],
  ])('finds a log without the %s of an attempt', (_what, lines) => {
    expect(kinds(DONE, seen(1), final(log(...lines)))).toContain('log gap');
  });

  test('finds a list of attempts that differs from the log', () => {
    const answer = { status: 'done', story: { log: ONCE, attempts: [{ attempt: 1, outcome: 'running' }] } };

    expect(kinds(DONE, seen(1), answer)).toEqual(['log gap']);
  });

  test('finds an end that no webhook got', () => {
    const failing: Expected = { ...DONE, end: 'failed', isReported: true };
    const failed = log('1 started', '1 log', '1 failed');

    expect(kinds(failing, seen(1), final(failed, 'failed'))).toEqual(['event missing']);
    expect(kinds(failing, { ...seen(1), isReported: true }, final(failed, 'failed'))).toEqual([]);
  });
});
