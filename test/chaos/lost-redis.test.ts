import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  HANG_MS,
  type OwnRedis,
  type Person,
  register,
  startOwnRedis,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let redis: OwnRedis;
let runs: Map<string, number>;

/** Counts how often each job is run. */
const counting = createCatalogue([
  defineHandler({
    type: 'count',
    async run(_payload, { idempotencyKey }) {
      runs.set(idempotencyKey, (runs.get(idempotencyKey) ?? 0) + 1);
    },
  }),
]);

beforeEach(async () => {
  runs = new Map();
  world = await createWorld();
  redis = await startOwnRedis();
});
afterEach(async () => {
  await world.end();
  await redis.end();
});

async function submitMany(person: Person, count: number): Promise<void> {
  let left = count;
  const submitter = async () => {
    while (left-- > 0) await submitJob(person, 'count', {});
  };
  await Promise.all(Array.from({ length: 64 }, submitter));
}

const done = () => world.db.job.count({ where: { status: 'done' } });

it('5,000 waiting jobs survive the loss of everything in Redis, and each runs once', async () => {
  const api = await world.api({ redisUrl: redis.url });
  const person = await register(api.call);
  await submitMany(person, 5_000);

  await redis.flushAll();
  await world.worker({ redisUrl: redis.url, catalogue: counting, concurrency: 200 });
  await until('all to be done', async () => (await done()) === 5_000);

  expect(runs.size).toBe(5_000);
  expect(Math.max(...runs.values())).toBe(1);
});

it('jobs that wait while a worker works through them survive the same', async () => {
  const api = await world.api({ redisUrl: redis.url });
  const person = await register(api.call);
  await submitMany(person, 2_000);
  await world.worker({ redisUrl: redis.url, catalogue: counting, concurrency: 20 });
  await until('some to be done', async () => (await done()) > 200);

  await redis.flushAll();
  const doneBefore = await done();
  await until('all to be done', async () => (await done()) === 2_000);

  expect(doneBefore).toBeLessThan(2_000);
  expect(Math.max(...runs.values())).toBe(1);
});

it('without Redis the API starts and takes jobs, which run when Redis is back', async () => {
  await redis.server.kill();
  const api = await world.api({ redisUrl: redis.url });
  const person = await register(api.call);
  await world.worker({ redisUrl: redis.url, catalogue: counting });
  expect((await api.call('GET', '/readyz')).status).toBe(200);

  await submitMany(person, 300);
  expect(await done()).toBe(0);
  await redis.server.start();

  await until('all to be done', async () => (await done()) === 300);
  expect(Math.max(...runs.values())).toBe(1);
});

it('when Redis goes away under a running API, submissions neither fail nor wait for it', async () => {
  // Were submissions to wait for Redis, the test would not end in time.
  const api = await world.api({ redisUrl: redis.url, redisTimeoutMs: HANG_MS });
  const person = await register(api.call);
  await world.worker({ redisUrl: redis.url, catalogue: counting });
  await finishedJob(person, await submitJob(person, 'count', {}));

  await redis.server.kill();
  for (let i = 0; i < 100; i++) await submitJob(person, 'count', {});
  expect(await done()).toBe(1);
  await redis.server.start();

  await until('all to be done', async () => (await done()) === 101);
});
