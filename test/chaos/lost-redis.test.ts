import { expect, it } from 'vitest';
import { finishedJob, HANG_MS, register, submitJob, until } from '../harness/index.js';
import { submitMany, useLostRedis } from './lost-redis-support.js';

const { counting, current, done } = useLostRedis();

it('5,000 waiting jobs survive the loss of all data in Redis, and each runs once', async () => {
  const { redis, runs, world } = current();
  const api = await world.api({ redisUrl: redis.url });
  const person = await register(api.call);
  await submitMany(person, 5_000);

  await redis.flushAll();
  await world.worker({ redisUrl: redis.url, catalogue: counting, concurrency: 200 });
  await until('all to be done', async () => (await done()) === 5_000);

  expect(runs.size).toBe(5_000);
  expect(Math.max(...runs.values())).toBe(1);
});

it('the API starts and accepts jobs without Redis, and they run when Redis is available again', async () => {
  const { redis, runs, world } = current();
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

it('submissions neither fail nor wait when Redis stops while the API runs', async () => {
  const { redis, world } = current();
  // If submissions waited for Redis, the test would not end in time.
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
