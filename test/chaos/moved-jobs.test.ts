import type { JobKey, OrgId } from '@jobline/contracts';
import type { DbSession, HotDb } from '@jobline/db';
import {
  amendResult,
  claimJobs,
  insertJobs,
  recordResults,
  requestCancel,
  retryFailed,
} from '@jobline/db/job-transitions';
import { newId } from '@jobline/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase, until } from '../harness/index.js';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

// The casts: ids are branded only in our types.
const orgId = newId() as OrgId;
const WORKER = newId();

/** Stores a job and claims it. Returns its key and the token of the claim. */
async function runningJob(): Promise<{ key: JobKey; token: string }> {
  const { db, hot } = database;
  const key = newId() as JobKey;
  const token = newId();
  await insertJobs(hot, [
    {
      ...{ key, orgId, id: 'a', type: 'a', queue: 'io', payload: '{}', contentHash: null, priority: 0, maxRetries: 0 },
      ...{ runAt: null, traceparent: null, hasCapacity: true },
    },
  ]);
  await db.$executeRaw`INSERT INTO workers (id, name, started_at, heartbeat_at) VALUES (${WORKER}::uuid, 'w', now(), now())`;
  const worker = { id: WORKER, types: ['a'], leaseMs: 60_000, capacity: { crashedOnce: 0, isolated: 0 } };
  expect(await claimJobs(hot, worker, [{ key, token }])).toMatchObject([{ kind: 'claimed' }]);
  return { key, token };
}

/** Records a failed attempt. */
async function recordFailed(hot: HotDb, { key, token }: { key: JobKey; token: string }): Promise<Set<string>> {
  const { recorded } = await recordResults(hot, [
    {
      ...{ key, token, status: 'failed', countsRetry: false, delayMs: 0, stage: 'enqueued', result: null },
      ...{ errorCode: 'handler_error', errorMessage: 'no', durationMs: 1, lines: [] },
    },
  ]);
  return recorded;
}

/** The hot path inside a transaction. */
function hotIn(tx: DbSession): HotDb {
  return { query: (statement, ...values) => tx.$queryRaw(statement, ...values), close: async () => undefined };
}

/** Makes a change in a transaction that ends only when `other`, which was started meanwhile, waits for its lock. */
async function whileWaiting<T>(change: (tx: DbSession) => Promise<unknown>, other: () => Promise<T>): Promise<T> {
  const { db } = database;
  const waiting = await db.$transaction(async (tx) => {
    await change(tx);
    const result = other();
    await until('the other statement to wait', async () => {
      const rows = await db.$queryRaw<unknown[]>`
        SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return rows.length > 0;
    });
    return { result };
  });
  return waiting.result;
}

it('a cancel that waits for the end of the job finds the finished job', async () => {
  const run = await runningJob();

  const target = await whileWaiting(
    (tx) => recordFailed(hotIn(tx), run),
    () => requestCancel(database.db, orgId, 'a', 'stop'),
  );

  expect(target).toMatchObject({ key: run.key, was: 'failed' });
  expect(await database.db.finishedJob.findMany()).toMatchObject([{ errorCode: 'handler_error' }]);
});

it('a record that waits for a cancel keeps the cancel mark', async () => {
  const run = await runningJob();

  const recorded = await whileWaiting(
    (tx) => requestCancel(tx, orgId, 'a', 'stop'),
    () => recordFailed(database.hot, run),
  );

  expect(recorded).toEqual(new Set([run.token]));
  expect(await database.db.liveJob.count()).toBe(0);
  const [job] = await database.db.finishedJob.findMany();
  expect(job?.cancelRequestedAt).not.toBeNull();
});

it('a result that arrives while the job is retried is left to the new attempt', async () => {
  const run = await runningJob();
  await recordFailed(database.hot, run);

  const outcome = await whileWaiting(
    (tx) => retryFailed(tx, run.key, true, 'again'),
    () => amendResult(database.db, orgId, { key: run.key, result: '1', level: 'info', message: 'paid' }),
  );

  expect(outcome).toBe('open');
  expect(await database.db.liveJob.findMany()).toMatchObject([{ status: 'pending', attempt: 1, retries: 0 }]);
  expect(await database.db.finishedJob.count()).toBe(0);
});

it('two simultaneous retries of a failed job move it once', async () => {
  const run = await runningJob();
  await recordFailed(database.hot, run);

  const second = await whileWaiting(
    (tx) => retryFailed(tx, run.key, true, 'again'),
    () => retryFailed(database.db, run.key, true, 'again'),
  );

  expect(second).toBeNull();
  expect(await database.db.liveJob.findMany()).toMatchObject([{ enqueueSeq: 2 }]);
});
