import type { JobKey, OrgId } from '@jobline/contracts';
import { failExpired, insertJobs } from '@jobline/db/job-transitions';
import { createEvents, createExpire, createProducer } from '@jobline/engine';
import { newId } from '@jobline/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, startOwnRedis, type TestDatabase } from '../harness/index.js';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

// The casts: ids are branded only in our types.
const newOrg = () => newId() as OrgId;
const newKey = () => newId() as JobKey;

/** Stores a job of each of these organizations. All have expired, the earlier ones first. */
async function storeExpired(orgIds: readonly OrgId[]): Promise<void> {
  const jobs = orgIds.map((orgId) => ({
    ...{ key: newKey(), orgId, id: newId(), type: 'noop', queue: 'io', payload: '{}', contentHash: null, priority: 0 },
    ...{ maxRetries: 0, runAt: null, traceparent: null, hasCapacity: false },
  }));
  await insertJobs(database.hot, jobs);
  await database.db.$executeRaw`
    UPDATE live_jobs SET expires_at = now() - interval '1 h'
      + array_position(${jobs.map(({ key }) => key)}::uuid[], key) * interval '1 s'`;
}

it("an organization's many expired jobs do not delay the one of another organization", async () => {
  const [many, one] = [newOrg(), newOrg()];
  await storeExpired([...Array.from({ length: 500 }, () => many), one]);

  const { jobs, after } = await failExpired(database.db, { after: null, limit: 20 }, 'expired');

  expect(after).toBeNull();
  expect(jobs.filter(({ orgId }) => orgId === many)).toHaveLength(10);
  expect(jobs.filter(({ orgId }) => orgId === one)).toHaveLength(1);
});

it('expired jobs of more organizations than one page examines all fail', async () => {
  const orgs = Array.from({ length: 1_003 }, newOrg);
  const [first] = orgs.sort();
  await storeExpired(orgs);

  const page = await failExpired(database.db, { after: null, limit: 200 }, 'expired');
  const rest = await failExpired(database.db, { after: page.after, limit: 200 }, 'expired');

  expect([page.jobs.length, rest.jobs.length, rest.after]).toEqual([1_000, 3, null]);
  expect(page.jobs.map(({ orgId }) => orgId)).toContain(first);
  expect(await database.db.finishedJob.count({ where: { errorCode: 'expired' } })).toBe(1_003);
});

it('a round fails some of many expired jobs, and the next one follows after a pause', async () => {
  const redis = await startOwnRedis();
  const events = createEvents();
  const producer = createProducer({ redisUrl: redis.url, prefix: newId(), events });
  const { round } = createExpire({ ...database, producer, events });
  const countFailed = () => database.db.finishedJob.count({ where: { errorCode: 'expired' } });
  const org = newOrg();
  await storeExpired(Array.from({ length: 500 }, () => org));

  expect(await round()).toBeGreaterThan(0);
  expect(await countFailed()).toBe(200);
  await round();
  expect(await countFailed()).toBe(400);
  await producer.close();
  await redis.end();
});
