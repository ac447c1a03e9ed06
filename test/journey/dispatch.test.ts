import { setTimeout } from 'node:timers/promises';
import type { JobKey, OrgId } from '@jobline/contracts';
import { type HotDb, isUnavailable, withTimeLimit } from '@jobline/db';
import { failUnhandled, insertJobs, promoteDue, requestCancel, retryFailed } from '@jobline/db/job-transitions';
import { createDispatcher, createEvents, createProducer, type LeasedTask, type Producer } from '@jobline/engine';
import { newId } from '@jobline/runtime';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createWorld, keysLike, openRedis, until, type World, waitingEntries } from '../harness/index.js';

let world: World;
let redis: ReturnType<typeof openRedis>;
let producer: Producer;
let deps: Parameters<typeof createDispatcher>[0];
let dispatcher: LeasedTask;
let fed = 0;

beforeAll(async () => {
  world = await createWorld();
  redis = openRedis(world.redisUrl);
  const events = createEvents();
  events.on('jobs.dispatched', ({ count }) => {
    fed += count;
  });
  producer = createProducer({ redisUrl: world.redisUrl, prefix: world.prefix, queues: ['io'], events });
  const id = newId();
  deps = { ...world, producer, events, lease: { id: () => id }, queues: ['io'], window: 1_000, orgMaxRunning: null };
  dispatcher = createDispatcher(deps);
});
afterEach(async () => void (await world.db.job.deleteMany()));
afterAll(async () => {
  await dispatcher.end();
  await producer.close();
  redis.disconnect();
  await world.end();
});

/** Stores jobs of a separate organization, none of them in Redis. */
async function store(count: number, runAt: Date | null = null): Promise<{ orgId: OrgId; keys: JobKey[] }> {
  const orgId = newId() as OrgId; // the cast: the organization needs no row
  const jobs = Array.from({ length: count }, () => ({
    key: newId() as JobKey, // the cast: it is the key of a job
    orgId,
    id: newId(),
    type: 'light',
    queue: 'io',
    payload: '{}',
    contentHash: null,
    priority: 0,
    maxRetries: 0,
    runAt,
    traceparent: null,
    hasCapacity: false,
    chunkKey: null,
  }));
  await insertJobs(world.hot, jobs);
  return { orgId, keys: jobs.map(({ key }) => key) };
}

it("the due jobs of one organization do not delay another's job that becomes due a moment later", async () => {
  const many = await store(1_000, new Date(Date.now() + 3_600_000));
  const single = await store(1, new Date(Date.now() + 3_600_000));
  await world.db.$executeRaw`UPDATE jobs SET run_at = now() - interval '1 h' WHERE org_id = ${many.orgId}::uuid`;
  await world.db.$executeRaw`UPDATE jobs SET run_at = now() WHERE org_id = ${single.orgId}::uuid`;

  await dispatcher.round();

  expect(await waitingEntries(redis, world.prefix)).toContain(`${single.keys[0]}-1`);
});

it('a job that was canceled or failed while it waited gets another entry when it runs again', async () => {
  const { orgId, keys } = await store(2);
  const [canceled, refused] = await world.db.job.findMany({ where: { orgId } });
  if (!canceled || !refused) throw new Error(`${keys.length} jobs were stored`);
  await requestCancel(world.db, orgId, canceled.id, 'canceled');
  // The cast: it is the key of a job.
  await failUnhandled(world.db, [{ key: refused.key as JobKey, message: 'no handler' }]);

  for (const { key } of [canceled, refused]) {
    expect(await retryFailed(world.db, key as JobKey, true, 'retried')).toMatchObject({ stage: 'enqueued', seq: 2 });
  }
});

it('the dispatcher publishes which organizations have jobs waiting in Postgres, and when none has', async () => {
  const many = await store(1_000);
  const few = await store(3);
  const published = async () => {
    await dispatcher.round();
    return (await producer.count('io'))?.waitingOrgs ?? new Set();
  };
  await until('the organization with many jobs to be published', async () => (await published()).has(many.orgId));
  expect(await published()).toContain(many.orgId);
  expect(await published()).not.toContain(few.orgId);

  await world.db.job.deleteMany();
  await until('an empty list to be published', async () => (await published()).size === 0);
});

it('the dispatcher adds a job once, however many rounds pass before it is claimed', async () => {
  await store(5);
  fed = 0;
  await until('the jobs to be added', async () => {
    await dispatcher.round();
    return fed > 0;
  });
  for (let round = 0; round < 20; round++) await dispatcher.round();

  expect(fed).toBe(5);
});

it('a slow read of the waiting jobs leaves out no organization until the next read', async () => {
  const removeEntries = async () => {
    for (const key of await keysLike(redis, `{${world.prefix}-io*}:*`)) await redis.del(key);
  };
  await removeEntries();
  for (let n = 0; n < 5; n++) await store(3);
  const query: HotDb['query'] = async (...statement) => {
    await setTimeout(20);
    return world.hot.query(...statement);
  };
  const slow = createDispatcher({ ...deps, hot: { ...world.hot, query }, window: 4 });
  const addedJobs = async () => {
    const keys = (await waitingEntries(redis, world.prefix)).map((id) => id.replace(/-\d+$/, ''));
    return world.db.job.findMany({ where: { key: { in: keys } } });
  };
  await slow.round();
  const first = await addedJobs();
  const orgIds = new Set(first.map(({ orgId }) => orgId));
  expect(orgIds.size).toBe(4);
  await removeEntries();
  await world.db.job.deleteMany({ where: { key: { in: first.map(({ key }) => key) } } });

  await slow.round();

  const next = await addedJobs();
  expect(next.map(({ orgId }) => orgIds.has(orgId))).toEqual([false]);
});

it('a repeated read that an old snapshot makes slow ends at its own time limit', async () => {
  const slow = withTimeLimit(world.db, 50, (session) => session.$queryRaw`SELECT pg_sleep(20)::text`);

  await expect(slow).rejects.toSatisfy(isUnavailable);
});

it('a promotion without scheduled jobs knows no time of a next job, so that the dispatcher rests', async () => {
  expect((await promoteDue(world.hot, { after: null, limit: 10 })).nextInMs).toBeNull();

  await store(1, new Date(Date.now() + 3_600_000));
  expect((await promoteDue(world.hot, { after: null, limit: 10 })).nextInMs).toBeGreaterThan(0);
});
