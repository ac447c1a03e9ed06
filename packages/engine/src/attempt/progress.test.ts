import type { JobKey, OrgId } from '@jobline/contracts';
import type { Claim, ReportedProgress } from '@jobline/db/job-transitions';
import { expect, it } from 'vitest';
import { createProgressReports } from './progress.js';
import { createRuns } from './runs.js';

// The casts: no job and no organization has these ids.
const claim = (token: string): Claim => ({
  key: 'key' as JobKey,
  token,
  orgId: 'org' as OrgId,
  id: 'id',
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
  tags: null,
  priority: 0,
  createdAt: new Date(),
  runAt: new Date(),
  scheduleId: null,
  plannedAt: null,
});

/** Reports on a clock that the test moves, and the statements that store them. */
function setUp() {
  const runs = createRuns();
  const statements: (readonly ReportedProgress[])[] = [];
  const state = { now: 0, failure: null as Error | null };
  const reports = createProgressReports(
    async (reported) => {
      if (state.failure) throw state.failure;
      statements.push(reported);
      return new Set();
    },
    () => state.now,
  );
  const stored = () => statements.map((reported) => reported.map(({ token, percent }) => `${token} ${percent}`));
  return { runs, reports, statements, stored, state };
}

it('only the latest of a million reports is stored, in one statement with those of other attempts', async () => {
  const { runs, reports, stored } = setUp();
  const [a, b] = [runs.open(claim('a')), runs.open(claim('b'))];

  for (let n = 0; n <= 1_000_000; n++) reports.report(a, n / 10_000, null);
  reports.report(b, 5, null);
  await reports.flush();

  expect(stored()).toEqual([['a 100', 'b 5']]);
});

it('the progress of a job is stored at most once a second, and the latest even if nothing follows', async () => {
  const { runs, reports, stored, state } = setUp();
  const attempt = runs.open(claim('a'));
  reports.report(attempt, 1, null);
  await reports.flush();
  reports.report(attempt, 2, null);
  state.now = 999;
  await reports.flush();
  expect(stored()).toEqual([['a 1']]);

  reports.report(attempt, 3, null);
  attempt.hasReturned = true;
  reports.report(attempt, 4, null);
  for (state.now = 1_000; state.now < 5_000; state.now += 200) await reports.flush();

  expect(stored()).toEqual([['a 1'], ['a 3']]);
});

it('a report that could not be stored is stored later, unless a newer one has replaced it', async () => {
  const { runs, reports, stored, state } = setUp();
  const [a, b] = [runs.open(claim('a')), runs.open(claim('b'))];
  reports.report(a, 1, null);
  reports.report(b, 1, null);
  state.failure = new Error('Postgres does not answer');
  await expect(reports.flush()).rejects.toBe(state.failure);
  reports.report(b, 2, null);

  state.failure = null;
  state.now = 1_000;
  await reports.flush();

  expect(stored()).toEqual([['a 1', 'b 2']]);
});

it('the text is cut at 1 KiB of UTF-8, not inside a character', async () => {
  const { runs, reports, statements } = setUp();

  reports.report(runs.open(claim('a')), 0, `x${'é'.repeat(1_000)}`);
  await reports.flush();

  expect(statements[0]?.[0]?.text).toBe(`x${'é'.repeat(511)}`);
});
