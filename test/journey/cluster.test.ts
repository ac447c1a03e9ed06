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

const done = () => world.db.job.count({ where: { status: 'done' } });

describe('on a cluster of three masters', () => {
  let cluster: OwnCluster;
  let client: Cluster;
  const onCluster = () => ({ redisUrl: cluster.url, redisTimeoutMs: HANG_MS, catalogue });

  beforeAll(async () => {
    cluster = await startOwnCluster();
    client = openRedis(cluster.url) as Cluster; // The cast: the URL has three nodes.
  });
  afterAll(async () => {
    client.disconnect();
    await cluster.end();
  });

  it('the jobs of every queue run once, and their entries are removed', async () => {
    const person = await register((await world.api(onCluster())).call);
    for (const { type, queue } of QUEUES_OF_TYPES) {
      // As long as the API does not know the counts of a queue, its jobs wait in Postgres for a dispatcher.
      await until('the queue to have entries', async () => {
        await submitMany(person, type, 20);
        return (await keysLike(client, `{${world.prefix}-${queue}}:*:????????-*`)).length > 0;
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
