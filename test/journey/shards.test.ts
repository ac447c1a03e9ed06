import { createCatalogue, defineHandler, RetryLater } from '@jobline/handlers';
import type { Cluster } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  HANG_MS,
  keysLike,
  type OwnCluster,
  openRedis,
  type Person,
  register,
  startOwnCluster,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

const SHARDS = 4;
const QUEUES_OF_TYPES = [
  { type: 'light', queue: 'io' },
  { type: 'heavy', queue: 'cpu' },
  { type: 'page', queue: 'browser' },
] as const;

let world: World;
/** How often each job has run. */
let runs: Map<string, number>;
let running: number;
let peak: number;

async function run(key: string): Promise<void> {
  runs.set(key, (runs.get(key) ?? 0) + 1);
  running++;
  peak = Math.max(peak, running);
  await new Promise(setImmediate);
  running--;
}

const catalogue = createCatalogue([
  ...QUEUES_OF_TYPES.map(({ queue, type }) =>
    defineHandler({ type, queue, run: (_payload, { idempotencyKey }) => run(idempotencyKey) }),
  ),
  defineHandler({
    type: 'shaky',
    async run(_payload, { attempt, idempotencyKey }) {
      if (attempt < 3) throw new RetryLater(attempt * 200, 'not yet');
      await run(idempotencyKey);
    },
  }),
]);

beforeEach(async () => {
  runs = new Map();
  [running, peak] = [0, 0];
  world = await createWorld();
});
afterEach(() => world.end());

async function submitMany(person: Person, type: string, count: number): Promise<void> {
  const jobs = Array.from({ length: count }, () => ({ type, payload: {}, max_retries: 2 }));
  const answer = await person.post('/jobs/batch', { jobs });
  expect(answer.status).toBe(202);
}

/**
 * Submits jobs until enough of them have entries in Redis. As long as the API does not know the counts of a queue,
 * its jobs wait in Postgres for a dispatcher.
 */
async function submitUntil(
  what: string,
  person: Person,
  type: string,
  isEnough: () => Promise<boolean>,
): Promise<void> {
  await until(what, async () => {
    await submitMany(person, type, 20);
    return await isEnough();
  });
}

const done = () => world.db.job.count({ where: { status: 'done' } });
/** The number of the shard of a job. */
const shardOf = (key: string) => Number.parseInt(key.slice(-8), 16) % SHARDS;

describe('on a cluster of three masters', () => {
  let cluster: OwnCluster;
  let client: Cluster;
  const onCluster = () => ({ redisUrl: cluster.url, redisTimeoutMs: HANG_MS, shards: SHARDS, catalogue });

  beforeAll(async () => {
    cluster = await startOwnCluster();
    client = openRedis(cluster.url) as Cluster; // The cast: the URL has three nodes.
  });
  afterAll(async () => {
    client.disconnect();
    await cluster.end();
  });

  it('each queue has entries on every master, and all its jobs run once', async () => {
    const person = await register((await world.api(onCluster())).call);
    for (const { type, queue } of QUEUES_OF_TYPES) {
      await submitUntil('every master to have entries', person, type, async () => {
        const keys = client.nodes('master').map((node) => node.keys(`{${world.prefix}-${queue}*}:*:????????-*`));
        return (await Promise.all(keys)).every((ofMaster) => ofMaster.length > 0);
      });
    }

    await world.worker(onCluster());
    const submitted = await world.db.job.count();
    await until('all to be done', async () => (await done()) === submitted);

    expect(runs.size).toBe(submitted);
    expect([...runs.values()].every((count) => count === 1)).toBe(true);
    await until('every entry to be removed', async () => {
      return (await keysLike(client, `{${world.prefix}-*}:*:????????-*`)).length === 0;
    });
  });

  it('retries, delays, cancels, pauses and limits work', async () => {
    const person = await register((await world.api(onCluster())).call);
    const limit = (change: object) => person.put('/org/limits/one', { types: ['heavy'], ...change });
    expect((await limit({ paused: true })).status).toBe(200);
    await submitMany(person, 'heavy', 12);
    const shaky = await Promise.all(
      Array.from({ length: 8 }, () => submitJob(person, 'shaky', {}, { max_retries: 2 })),
    );
    const inAMoment = () => ({ run_at: new Date(Date.now() + 500).toISOString() });
    const later = await Promise.all(Array.from({ length: 8 }, () => submitJob(person, 'light', {}, inAMoment())));
    const canceled = await submitJob(person, 'light', {});
    expect((await person.post(`/jobs/${canceled}/cancel`)).status).toBe(202);

    await world.worker(onCluster());
    for (const id of [...shaky, ...later]) expect((await finishedJob(person, id)).job.status).toBe('done');
    expect(runs.size).toBe(16);
    peak = 0;
    expect((await limit({ paused: false, concurrency: 1 })).status).toBe(200);
    await until('the others to be done', async () => (await done()) === 28);

    expect(peak).toBe(1);
    expect((await finishedJob(person, canceled)).result.error.code).toBe('canceled');
    expect([...runs.values()].every((count) => count === 1)).toBe(true);
  });
});

describe('on one server', () => {
  it('a worker with one slot takes entries of all shards in turn', async () => {
    const person = await register((await world.api({ redisTimeoutMs: HANG_MS, shards: SHARDS, catalogue })).call);
    const redis = openRedis(world.redisUrl);
    await submitUntil('entries to be in Redis', person, 'light', async () => {
      return (await keysLike(redis, `{${world.prefix}-io*}:*:????????-*`)).length >= 60;
    });
    redis.disconnect();

    await world.alone.worker({ shards: SHARDS, catalogue, concurrency: 1, queues: ['io'] });
    await until('all to be done', async () => (await done()) >= 60);

    const first = [...runs.keys()].slice(0, 2 * SHARDS);
    expect(new Set(first.map(shardOf)).size).toBe(SHARDS);
    expect(peak).toBe(1);
  });

  it.each([
    { before: 1, after: SHARDS },
    { before: SHARDS, after: 1 },
  ])('no job is lost when the number of shards changes from $before to $after', async ({ before, after }) => {
    const person = await register((await world.api({ shards: before, catalogue })).call);
    await submitMany(person, 'light', 40);
    const old = await world.alone.worker({ shards: before, catalogue, concurrency: 1, queues: ['io'] });
    await until('some to be done', async () => (await done()) > 5);
    await submitMany(person, 'shaky', 40);
    await until('some to wait for a retry', () =>
      world.db.job.count({ where: { type: 'shaky', attempt: { gte: 1 } } }),
    );

    // An API that has the old number, and a worker that has the new one.
    const mixed = await world.alone.worker({ shards: after, catalogue, queues: ['io'] });
    await old.stop();
    await submitMany(person, 'light', 40);
    await until('all to be done', async () => (await done()) === 120);

    expect(runs.size).toBe(120);
    expect([...runs.values()].every((count) => count === 1)).toBe(true);
    await mixed.stop();
  });
});
