import type { JobKey, OrgId } from '@jobline/contracts';
import { type DbSession, type HotDb, isLockTimeout } from '@jobline/db';
import {
  type ClaimAnswer,
  changePending,
  claimJobs,
  type Delivery,
  failExpired,
  insertJobs,
  type JobChange,
  readPayload,
  recordResults,
  requestCancel,
} from '@jobline/db/job-transitions';
import { newId } from '@jobline/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase, until } from '../harness/index.js';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  await database.db
    .$executeRaw`INSERT INTO workers (id, name, started_at, heartbeat_at) VALUES (${WORKER}::uuid, 'w', now(), now())`;
});
afterEach(() => database.drop());

// The casts: ids are branded only in our types.
const orgId = newId() as OrgId;
const WORKER = newId();
const OLD = '{"v":1}';
const NEW = '{"v":2}';
const inAnHour = () => new Date(Date.now() + 3_600_000);

/** Stores a due job with the payload OLD. */
async function store(id: string, hasCapacity = true): Promise<JobKey> {
  const key = newId() as JobKey; // The cast: as above.
  await insertJobs(database.hot, [
    {
      ...{ key, orgId, id, type: 'a', queue: 'io', payload: OLD, contentHash: null, priority: 0, maxRetries: 1 },
      ...{ runAt: null, traceparent: null, hasCapacity },
    },
  ]);
  return key;
}

const change = (db: DbSession, id: string, values: JobChange = { payload: NEW }) =>
  changePending(db, orgId, id, values, 'changed');

/** Like a worker, it claims again after a wait for a lock that was too long. */
async function claim(hot: HotDb, deliveries: readonly Delivery[]): Promise<ClaimAnswer[]> {
  const worker = { id: WORKER, types: ['a'], leaseMs: 60_000, capacity: { crashedOnce: 0, isolated: 0 } };
  for (;;) {
    try {
      return await claimJobs(hot, worker, deliveries);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
  }
}

/** Records the end of an attempt, or its release for another attempt. */
async function record(hot: HotDb, { key, token }: Delivery, status: 'failed' | 'pending'): Promise<Set<string>> {
  const { recorded } = await recordResults(hot, [
    {
      ...{ key, token, status, countsRetry: status === 'pending', delayMs: 0, stage: 'enqueued', result: null },
      ...{ errorCode: 'handler_error', errorMessage: 'no', durationMs: 1, lines: [] },
    },
  ]);
  return recorded;
}

/** The payload with which a claimed job runs. */
async function payloadOf(answer: ClaimAnswer | undefined): Promise<string | null> {
  if (answer?.kind !== 'claimed') throw new Error(`the job was not claimed: ${answer?.kind}`);
  return answer.claim.payload ?? readPayload(database.db, answer.claim);
}

/** The hot path inside a transaction. */
function hotIn(tx: DbSession): HotDb {
  return { query: (statement, ...values) => tx.$queryRaw(statement, ...values), close: async () => undefined };
}

/** Makes a change in a transaction that ends only when `other`, which was started meanwhile, waits for its lock. */
async function whileWaiting<T>(first: (tx: DbSession) => Promise<unknown>, other: () => Promise<T>): Promise<T> {
  const { db } = database;
  const waiting = await db.$transaction(async (tx) => {
    await first(tx);
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

it('a claim that waits for a change runs the job with the new payload', async () => {
  const key = await store('a');

  const [answer] = await whileWaiting(
    (tx) => change(tx, 'a', { payload: NEW.padEnd(100) }),
    () => claim(database.hot, [{ key, token: newId() }]),
  );

  expect(answer).toMatchObject({ kind: 'claimed', claim: { payloadBytes: 100, attempt: 1 } });
  expect(await payloadOf(answer)).toBe(NEW.padEnd(100));
});

it('a claim that waits while the job is put off does not run it', async () => {
  const key = await store('a');

  const [answer] = await whileWaiting(
    (tx) => change(tx, 'a', { runAt: inAnHour() }),
    () => claim(database.hot, [{ key, token: newId() }]),
  );

  expect(answer).toEqual({ kind: 'gone' });
  expect(await database.db.liveJob.findMany()).toMatchObject([{ status: 'pending', place: 'scheduled', attempt: 0 }]);
});

it('a change that waits for a claim changes nothing', async () => {
  const key = await store('a');

  const result = await whileWaiting(
    (tx) => claim(hotIn(tx), [{ key, token: newId() }]),
    () => change(database.db, 'a', { payload: NEW, runAt: inAnHour(), priority: 3, expiresAt: inAnHour() }),
  );

  expect(result).toEqual({ kind: 'not-pending', status: 'processing' });
  expect(await database.db.submittedJob.findMany()).toMatchObject([{ payload: { v: 1 }, priority: 0 }]);
  expect(await database.db.liveJob.findMany()).toMatchObject([{ place: 'enqueued', priority: 0, expiresAt: null }]);
  expect(await database.db.jobLog.findMany()).toMatchObject([{ kind: 'started' }]);
});

it('a change that waits for the end of a job finds the finished job', async () => {
  const delivery = { key: await store('a'), token: newId() };
  await claim(database.hot, [delivery]);

  const result = await whileWaiting(
    (tx) => record(hotIn(tx), delivery, 'failed'),
    () => change(database.db, 'a'),
  );

  expect(result).toEqual({ kind: 'not-pending', status: 'failed' });
});

it('a change that waits for the failure of an attempt changes the next attempt', async () => {
  const delivery = { key: await store('a'), token: newId() };
  await claim(database.hot, [delivery]);

  const result = await whileWaiting(
    (tx) => record(hotIn(tx), delivery, 'pending'),
    () => change(database.db, 'a'),
  );

  expect(result).toMatchObject({ kind: 'changed', movedTo: null });
  const [next] = await claim(database.hot, [{ key: delivery.key, token: newId() }]);
  expect(next).toMatchObject({ claim: { attempt: 2 } });
  expect(await payloadOf(next)).toBe(NEW);
});

it('a change that waits for a cancel finds the canceled job, and a cancel that waits for a change cancels it', async () => {
  await store('a');
  const late = await whileWaiting(
    (tx) => requestCancel(tx, orgId, 'a', 'stop'),
    () => change(database.db, 'a'),
  );
  expect(late).toEqual({ kind: 'not-pending', status: 'failed' });

  await store('b');
  const canceled = await whileWaiting(
    (tx) => change(tx, 'b', { payload: NEW, runAt: inAnHour() }),
    () => requestCancel(database.db, orgId, 'b', 'stop'),
  );
  expect(canceled).toMatchObject({ was: 'pending' });
  expect(await database.db.submittedJob.findFirst({ where: { id: 'b' } })).toMatchObject({ payload: { v: 2 } });
});

it('two simultaneous changes both take effect, one after the other', async () => {
  const key = await store('a', false);

  const second = await whileWaiting(
    (tx) => change(tx, 'a', { priority: 2, runAt: inAnHour(), payload: NEW }),
    () => change(database.db, 'a', { priority: 7 }),
  );

  expect(second).toMatchObject({ kind: 'changed', movedTo: 'scheduled', entry: { key, seq: 1 } });
  expect(await database.db.liveJob.findMany()).toMatchObject([{ priority: 7, place: 'scheduled', enqueueSeq: 2 }]);
  expect(await database.db.submittedJob.findMany()).toMatchObject([{ payload: { v: 2 }, priority: 7 }]);
  expect(await database.db.jobLog.count()).toBe(2);
});

it('an expiry skips a job that is being changed, and a job that has expired can be given a later time', async () => {
  await store('a');
  await database.db.$executeRaw`UPDATE live_jobs SET expires_at = now() - interval '1 s'`;

  const late = await change(database.db, 'a', { runAt: null });
  expect(late).toEqual({ kind: 'expiring' });
  await database.db.$transaction(async (tx) => {
    expect(await change(tx, 'a', { expiresAt: inAnHour() })).toMatchObject({ kind: 'changed', movedTo: null });
    expect(await failExpired(database.db, { after: null, limit: 10 }, 'expired')).toEqual({ jobs: [], after: null });
  });
  expect(await failExpired(database.db, { after: null, limit: 10 }, 'expired')).toEqual({ jobs: [], after: null });
});

it('exactly one of a change and a claim that race wins, in a thousand races', async () => {
  for (let round = 0; round < 20; round++) {
    const jobs = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => ({ id: `${round}-${n}`, key: await store(`${round}-${n}`) })),
    );
    // One after the other, while the changes of the same jobs begin at once.
    const changes = Promise.all(jobs.map(({ id }) => change(database.db, id)));
    const claimed: ClaimAnswer[] = [];
    for (const { key } of jobs) claimed.push(...(await claim(database.hot, [{ key, token: newId() }])));
    for (const [n, { kind }] of (await changes).entries()) {
      expect(await payloadOf(claimed[n]), kind).toBe(kind === 'changed' ? NEW : OLD);
    }
  }
});
