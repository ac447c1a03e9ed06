import type { OrgId } from '@jobline/contracts';
import {
  createEnqueue,
  createEvents,
  createProducer,
  createPublishedTypes,
  createRoutes,
  createSubmissions,
  createWindow,
  type Submissions,
} from '@jobline/engine';
import { createCatalogue, defineHandler, QUEUES } from '@jobline/handlers';
import { newId, pause } from '@jobline/runtime';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorld, type OwnRedis, startOwnRedis, until, type World } from '../harness/index.js';

const FLOOD = 200_000;
const PROBES = 300;
const PROBE_EVERY_MS = 20;

let world: World;
let redis: OwnRedis;
let close: () => Promise<void>;
let submissions: Submissions;

const catalogue = createCatalogue([
  defineHandler<{ ms: number }>({
    type: 'light',
    run: async ({ ms }) => (ms > 0 ? pause(ms) : undefined),
  }),
]);

beforeEach(async () => {
  world = await createWorld();
  redis = await startOwnRedis();
  const events = createEvents();
  const producer = createProducer({ redisUrl: redis.url, prefix: world.prefix, events });
  const window = createWindow(QUEUES, producer);
  const enqueue = createEnqueue({ producer, events });
  submissions = createSubmissions({
    db: world.db,
    hot: world.hot,
    routes: createRoutes({ catalogue, published: createPublishedTypes({ db: world.db, events, leaseMs: 15_000 }) }),
    producer,
    window,
    events,
    enqueue,
  });
  close = producer.close;
});
afterEach(async () => {
  await close();
  await world.end();
  await redis.end();
});

async function submitMany(orgId: OrgId, count: number, ms: number): Promise<void> {
  let left = count;
  const submitter = async () => {
    while (left-- > 0) await submitLight(orgId, ms);
  };
  await Promise.all(Array.from({ length: 256 }, submitter));
}

function submitLight(orgId: OrgId, ms: number) {
  return submissions.submit(
    orgId,
    { type: 'light', payload: { ms }, maxRetries: 0, priority: 0, runAt: null },
    { key: null },
  );
}

/** Submits jobs at intervals. Returns the 50th and 99th percentile of the time until they were picked up, in ms. */
async function probe(orgId: OrgId): Promise<{ p50: number; p99: number }> {
  const ids: string[] = [];
  for (let n = 0; n < PROBES; n++) {
    ids.push((await submitLight(orgId, 0)).id);
    await pause(PROBE_EVERY_MS);
  }
  const started = { orgId, id: { in: ids }, startedAt: { not: null } };
  await until('all probes to be started', async () => (await world.db.job.count({ where: started })) === PROBES);
  const jobs = await world.db.job.findMany({ where: started });
  const tookMs = jobs.map((job) => Number(job.startedAt) - Number(job.createdAt)).sort((a, b) => a - b);
  return { p50: tookMs[Math.floor(PROBES * 0.5)] ?? 0, p99: tookMs[Math.floor(PROBES * 0.99)] ?? 0 };
}

async function redisMiB(): Promise<number> {
  const client = new Redis(redis.url);
  const memory = /used_memory:(\d+)/.exec(await client.info('memory'))?.[1];
  client.disconnect();
  return Number(memory) / 2 ** 20;
}

it.each([0, 50])(
  'a flood of 200,000 jobs of %i ms uses little memory in Redis and delays another organization by at most 100 ms',
  async (ms) => {
    // The casts: organizations that no request uses need no row.
    const [flooding, other] = [newId() as OrgId, newId() as OrgId];
    await world.worker({ redisUrl: redis.url, catalogue, concurrency: 200 });
    await submitMany(other, 500, 0);
    await until('the worker to be idle', async () => (await world.db.job.count({ where: { status: 'done' } })) === 500);
    const idle = await probe(other);

    await submitMany(flooding, FLOOD, ms);
    const done = () => world.db.job.count({ where: { orgId: flooding, status: 'done' } });
    const [waiting, doneBefore, startedAt] = [
      await world.db.job.count({ where: { orgId: flooding, place: 'waiting', status: 'pending' } }),
      await done(),
      performance.now(),
    ];
    const flooded = await probe(other);
    const perS = ((await done()) - doneBefore) / ((performance.now() - startedAt) / 1_000);
    const usedMiB = await redisMiB();

    console.log({ ms, waiting, idle, flooded, floodPerS: Math.round(perS), redisMiB: usedMiB.toFixed(1) });
    expect(waiting).toBeGreaterThan(FLOOD / 4);
    expect(usedMiB).toBeLessThan(32);
    expect(flooded.p99).toBeLessThanOrEqual(idle.p99 + 100);
    expect(perS).toBeGreaterThan(100);
  },
  600_000,
);
