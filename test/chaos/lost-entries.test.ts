import { expect, it } from 'vitest';
import { keysLike, openRedis, register, until } from '../harness/index.js';
import { submitMany, useLostRedis } from './lost-redis-support.js';

const { counting, current, done, holdRuns } = useLostRedis();

it('jobs survive the loss of all data in Redis while a worker runs them, and each runs once', async () => {
  const { redis, runs, world } = current();
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

it('jobs whose list Redis has evicted, while it kept their entries, run once each', async () => {
  const { redis, runs, world } = current();
  const api = await world.api({ redisUrl: redis.url });
  const person = await register(api.call);
  await submitMany(person, 20);
  expect(await world.db.job.count({ where: { place: 'enqueued' } })).toBe(20);
  const client = openRedis(redis.url);

  expect(await client.del(`{${world.prefix}-io}:io:wait`)).toBe(1);
  const longAgo = new Date(Date.now() - 120_000);
  await world.db.job.updateMany({ data: { runAt: longAgo, enqueuedAt: longAgo } });
  await world.worker({ redisUrl: redis.url, catalogue: counting });
  await until('all to be done', async () => (await done()) === 20);

  expect([runs.size, Math.max(...runs.values())]).toEqual([20, 1]);
  await until('the old entries to be removed', async () => {
    const entries = await keysLike(client, `{${world.prefix}-io}:io:*-*-*-*-*-*`);
    return entries.length === 0;
  });
  client.disconnect();
});

it('jobs whose tickets Redis has evicted, while it kept their entries, run once each', async () => {
  const { redis, runs, world } = current();
  const api = await world.api({ redisUrl: redis.url });
  const person = await register(api.call);
  const client = openRedis(redis.url);
  const lists = ['wait', 'prioritized'].map((list) => `{${world.prefix}-io}:io:${list}`);
  await submitMany(person, 300);
  // Its only slot is in use, so the tickets wait in Redis.
  const release = holdRuns();
  await world.worker({ redisUrl: redis.url, catalogue: counting, concurrency: 1 });
  const tickets = () => keysLike(client, `{${world.prefix}-io}:io:${person.orgId}-t*`);
  await until('a ticket to be added', async () => (await tickets()).length > 0);

  await client.del(...lists);
  const longAgo = new Date(Date.now() - 120_000);
  await world.db.job.updateMany({ data: { runAt: longAgo, enqueuedAt: longAgo }, where: { place: 'enqueued' } });
  client.disconnect();
  release();
  await until('all to be done', async () => (await done()) === 300);

  expect([runs.size, Math.max(...runs.values())]).toEqual([300, 1]);
});

it('jobs that have waited long in their lists are not enqueued again', async () => {
  const { redis, world } = current();
  const api = await world.api({ redisUrl: redis.url });
  const person = await register(api.call);
  await submitMany(person, 20);
  const longAgo = new Date(Date.now() - 120_000);
  await world.db.job.updateMany({ data: { runAt: longAgo, enqueuedAt: longAgo } });
  let sweeps = 0;
  const worker = await world.worker({ redisUrl: redis.url, catalogue: counting, queues: ['cpu'] });
  worker.events.on('jobs.re-enqueued', () => sweeps++);

  await until('the worker to have checked twice', async () => {
    const [lease] = await world.db.$queryRaw<{ isRenewed: boolean }[]>`
      SELECT l.expires_at > w.started_at + interval '9 s' AS "isRenewed" FROM leases l, workers w WHERE l.name = 'worker-maintenance'`;
    return lease?.isRenewed;
  });

  expect(sweeps).toBe(0);
  expect(await world.db.job.count({ where: { enqueueSeq: 1 } })).toBe(20);
});
