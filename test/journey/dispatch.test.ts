import type { JobKey, OrgId } from '@jobline/contracts';
import { isUnavailable, registerWorker, withTimeLimit } from '@jobline/db';
import { failUnhandled, insertJobs, promoteDue, requestCancel, retryFailed } from '@jobline/db/job-transitions';
import { createDispatcher, createEvents, createProducer, type LeasedTask, type Producer } from '@jobline/engine';
import { newId } from '@jobline/runtime';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createWorld, openRedis, until, type World, waitingEntries } from '../harness/index.js';

let world: World;
let redis: ReturnType<typeof openRedis>;
let producer: Producer;
let deps: Parameters<typeof createDispatcher>[0];
let dispatcher: LeasedTask;

beforeAll(async () => {
  world = await createWorld();
  redis = openRedis(world.redisUrl);
  const events = createEvents();
  producer = createProducer({ redisUrl: world.redisUrl, prefix: world.prefix, events });
  const id = newId();
  deps = {
    ...{ ...world, producer, events, lease: { id: () => id }, queues: ['io'], leaseMs: 60_000 },
    ...{ window: 1_000, orgMaxRunning: null, redeliver: async () => ({ kind: 'gone' }) },
  };
  await startIdleWorker();
  dispatcher = createDispatcher(deps);
});
afterEach(async () => void (await world.db.job.deleteMany()));
afterAll(async () => {
  await dispatcher.end();
  await producer.close();
  redis.disconnect();
  await world.end();
});

/** Registers a worker with the handler that takes no entries. */
async function startIdleWorker(): Promise<void> {
  const types = new Map([['light', { queue: 'io', timeoutMs: 1_000, schema: null }]]);
  await registerWorker(world.hot, { id: newId(), name: 'w', types, queues: new Map([['io', 10]]) });
}

/** The organizations that have tickets. */
async function ticketOrgs(): Promise<string[]> {
  return (await waitingEntries(redis, world.prefix)).map((id) => id.replace(/-t\d+$/, ''));
}

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

  expect(await ticketOrgs()).toContain(single.orgId);
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
  const published = async () => {
    await dispatcher.round();
    return (await producer.count('io'))?.waitingOrgs ?? new Set();
  };
  await until('the organization with many jobs to be published', async () => (await published()).has(many.orgId));
  expect(await published()).toContain(many.orgId);

  await world.db.job.deleteMany();
  await until('an empty list to be published', async () => (await published()).size === 0);
});

it('an organization gets one ticket for each worker, however many rounds pass before they are used', async () => {
  const { orgId } = await store(100);
  const count = async () => (await ticketOrgs()).filter((one) => one === orgId).length;
  await until('the tickets', async () => {
    await dispatcher.round();
    return (await count()) > 0;
  });
  for (let round = 0; round < 20; round++) await dispatcher.round();

  expect(await count()).toBe(1);
});

it('a job of a type without workers does not keep its organization from getting tickets', async () => {
  const { orgId, keys } = await store(2);
  await world.db.liveJob.updateMany({
    where: { key: { in: keys.slice(0, 1) } },
    data: { type: 'absent', priority: 9 },
  });
  const unhandled: string[] = [];
  const careful = createDispatcher({
    ...deps,
    redeliver: async (key, { reach }) => {
      unhandled.push(`${key} ${reach}`);
      return { kind: 'delay', delayMs: 1_000 };
    },
  });

  await until('its ticket', async () => {
    await careful.round();
    return (await ticketOrgs()).includes(orgId);
  });
  expect(unhandled).toContain(`${keys[0]} null`);
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
