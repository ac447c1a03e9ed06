import type { JobKey, OrgId } from '@jobline/contracts';
import { type Db, isLockTimeout, listHeld } from '@jobline/db';
import { claimHeld, claimJobs, insertJobs } from '@jobline/db/job-transitions';
import { newId } from '@jobline/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, holdLock, type TestDatabase } from '../harness/index.js';

// The casts: ids are branded only in our types.
const orgId = newId() as OrgId;
const newKey = () => newId() as JobKey;
const worker = { id: newId(), types: ['a'], leaseMs: 60_000, capacity: { crashedOnce: 0, isolated: 0 } };

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  await database.db.$executeRaw`INSERT INTO organizations (id, name) VALUES (${orgId}::uuid, 'Acme')`;
  await database.db.$executeRaw`
    INSERT INTO workers (id, name, started_at, heartbeat_at) VALUES (${worker.id}::uuid, 'w', now(), now())`;
});
afterEach(() => database.drop());

/** Stores due jobs. */
async function store(count: number): Promise<JobKey[]> {
  const keys = Array.from({ length: count }, newKey).sort();
  await insertJobs(
    database.hot,
    keys.map((key) => ({
      ...{ key, orgId, id: key, type: 'a', queue: 'io', payload: '{}', contentHash: null, priority: 0, maxRetries: 1 },
      ...{ runAt: null, traceparent: null, hasCapacity: true },
    })),
  );
  return keys;
}

const delivered = (keys: readonly JobKey[]) =>
  keys.map((key) => ({ key, lane: null, isDirect: false, token: newId() }));

it('an entry of a scheduled job does not start it, although it is due: the dispatcher checks its limits first', async () => {
  const keys = await store(1);
  await database.db.$executeRaw`UPDATE live_jobs SET place = 'scheduled'`;

  expect(await claimJobs(database.hot, worker, delivered(keys))).toEqual([{ kind: 'gone' }]);

  await database.db.$executeRaw`UPDATE live_jobs SET place = 'waiting'`;
  expect(await claimJobs(database.hot, worker, delivered(keys))).toMatchObject([{ kind: 'claimed' }]);
});

const limit = { orgId, concurrency: 1, per: 'organization', ordered: false, paused: false } as const;
const setLimits: Record<string, (db: Db) => Promise<unknown>> = {
  'of its type': (db) => db.limit.create({ data: { ...limit, name: 'other', types: ['a'] } }),
  'that it names': (db) => db.limit.create({ data: { ...limit, name: 'own', types: [] } }),
  'of the operator': (db) => db.operatorLimit.create({ data: { orgMaxRunning: 1 } }),
};
const stages = ['waiting', 'enqueued'];
it.each(stages.flatMap((stage) => Object.entries(setLimits).map(([which, set]) => [stage, which, set] as const)))(
  'a job that is %s under a limit %s that is newer than its entry becomes held at its claim',
  async (stage, _which, setLimit) => {
    const keys = await store(2);
    await database.db.$executeRaw`UPDATE live_jobs SET place = ${stage}::job_place, limit_name = 'own'`;
    await setLimit(database.db);

    expect(await claimJobs(database.hot, worker, delivered(keys))).toEqual([{ kind: 'held' }, { kind: 'held' }]);

    const answers = await claimHeld(database.db, worker, delivered(keys), async (_tx, { held }) => ({
      keys: held.slice(0, 1).map(({ key }) => key),
      saveStarts: async () => undefined,
    }));
    expect(answers.map(({ kind }) => kind)).toEqual(['claimed', 'held']);
    expect(await database.db.job.findMany({ where: { place: 'held' }, select: { key: true } })).toEqual([
      { key: keys[1] },
    ]);
  },
);

it('the entry of a held job is a turn for the first job of its lane, whatever became of its own', async () => {
  const [first, second, third] = await store(3);
  if (!first || !second || !third) throw new Error('three are stored');
  await database.db.limit.create({ data: { ...limit, name: 'own', types: ['a'] } });
  await database.db.$executeRaw`UPDATE live_jobs SET place = 'held'`;
  const [lane] = await database.db.limitLane.findMany();
  if (!lane) throw new Error('held jobs have a lane');
  /** Delivers entries of these jobs, and returns the jobs that start. */
  const deliver = async (...keys: JobKey[]) => {
    const deliveries = keys.map((key) => ({ key, lane: lane.lane, isDirect: false, token: newId() }));
    const answers = await claimHeld(database.db, worker, deliveries, async (_tx, { held, turns }) => ({
      keys: held.slice(0, turns.get(lane.lane) ?? 0).map(({ key }) => key),
      saveStarts: async () => undefined,
    }));
    return answers.map((answer) => (answer.kind === 'claimed' ? answer.claim.key : answer.kind));
  };

  expect(await deliver(third)).toEqual([first]);
  expect(await deliver(first)).toEqual([second]);
  await database.db.$executeRaw`DELETE FROM live_jobs WHERE key = ${first}::uuid`;
  expect(await deliver(first)).toEqual([third]);
  expect(await deliver(first, third)).toEqual(['gone', 'gone']);
});

it('a job whose direct entry cannot start it is left to the dispatcher', async () => {
  const [key] = await store(1);
  if (!key) throw new Error('it is stored');
  await database.db.$executeRaw`UPDATE live_jobs SET place = 'held', enqueue_seq = 0`;
  const deliveries = [{ key, lane: null, isDirect: true, token: newId() }];
  const listed = async () => {
    const lanes = await database.db.limitLane.findMany();
    return (
      await listHeld(
        database.db,
        lanes.map(({ lane: id }) => ({ id, limit: 1 })),
        [],
      )
    ).map((job) => job.key);
  };
  expect(await listed()).toEqual([]);

  const answers = await claimHeld(database.db, worker, deliveries, async () => ({
    keys: [],
    saveStarts: async () => undefined,
  }));

  expect(answers).toEqual([{ kind: 'held' }]);
  expect(await listed()).toEqual([key]);
});

it('a held job that its worker has no capacity for uses no rate', async () => {
  await database.db.$executeRaw`
    INSERT INTO limits (org_id, name, types, per_second, burst, per, ordered, paused)
    VALUES (${orgId}::uuid, 'slow', '{a}', 1, 1, 'organization', false, false)`;
  const keys = await store(2);
  await database.db.$executeRaw`UPDATE live_jobs SET crash_count = 1 WHERE key = ${keys[0]}::uuid`;
  const charged: JobKey[][] = [];

  const answers = await claimHeld(database.db, worker, delivered(keys), async (_tx, { held }) => ({
    keys: held.map(({ key }) => key),
    async saveStarts(started) {
      charged.push([...started]);
    },
  }));

  expect(answers.map(({ kind }) => kind)).toEqual(['crash-limit', 'claimed']);
  expect(charged).toEqual([[keys[1]]]);
});

it('a claim does not wait for another organization, which another transaction has locked', async () => {
  const other = newId() as OrgId;
  await database.db.$executeRaw`INSERT INTO organizations (id, name) VALUES (${other}::uuid, 'Other')`;
  await database.db.operatorLimit.create({ data: { orgMaxRunning: 1 } });
  const [own, locked] = await store(2);
  await database.db.$executeRaw`UPDATE live_jobs SET org_id = ${other}::uuid WHERE key = ${locked}::uuid`;
  const lock = await holdLock(
    database.db,
    (tx) => tx.$queryRaw`SELECT 1 FROM organizations WHERE id = ${other}::uuid FOR NO KEY UPDATE`,
  );
  const claim = () =>
    claimHeld(database.db, worker, delivered([own ?? newKey(), locked ?? newKey()]), async (_tx, { held }) => ({
      keys: held.map(({ key }) => key),
      saveStarts: async () => undefined,
    }));

  expect((await claim()).map(({ kind }) => kind)).toEqual(['claimed', 'locked']);
  await lock.release();
  expect((await claim()).map(({ kind }) => kind)).toEqual(['gone', 'claimed']);
});

it('a claim waits only shortly for the row of a job that another transaction changes', async () => {
  const keys = await store(1);
  const lock = await holdLock(database.db, (tx) => tx.$executeRaw`UPDATE live_jobs SET priority = 1`);

  const error = await claimJobs(database.hot, worker, delivered(keys)).catch((cause: unknown) => cause);

  expect(isLockTimeout(error)).toBe(true);
  await lock.release();
  expect(await claimJobs(database.hot, worker, delivered(keys))).toMatchObject([{ kind: 'claimed' }]);
});
