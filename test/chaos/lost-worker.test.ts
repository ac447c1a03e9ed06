import { createCatalogue, defineHandler } from '@jobline/handlers';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  linesOf,
  type OwnRedis,
  type Person,
  register,
  spawnWorker,
  startOwnRedis,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let redis: OwnRedis;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  redis = await startOwnRedis();
  const api = await world.api({ redisUrl: redis.url, prefix: 'jobline' });
  person = await register(api.call);
});
afterEach(async () => {
  await world.end();
  await redis.end();
});

it('the 200 running jobs of a killed worker are taken over and done, and use no retry', async () => {
  let isBlocked = true;
  const receiver = await world.receiver(() => (isBlocked ? { delayMs: 120_000 } : {}));
  const env = {
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: redis.url,
    OUTBOUND_ALLOW_HOSTS: receiver.host,
    WORKER_QUEUES: 'io:230',
    WORKER_LEASE_MS: '1500',
  };
  const doomed = await spawnWorker(env);
  const ids = await Promise.all(
    Array.from({ length: 200 }, (_, n) => submitJob(person, 'webhook', { url: receiver.url, payload: { n } })),
  );
  await until('all to run', () => receiver.received.length === 200);

  await doomed.kill('SIGKILL');
  isBlocked = false;
  const successor = await spawnWorker(env);
  try {
    await until('all to be done', async () => (await world.db.job.count({ where: { status: 'done' } })) === 200);
  } finally {
    await successor.kill('SIGTERM');
  }

  expect(receiver.received).toHaveLength(400);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(200);
  const story = await finishedJob(person, ids[0] ?? '');
  expect(story.job).toMatchObject({ status: 'done', retries: 0 });
  expect(linesOf(story).filter((line) => /worker|started|succeeded/.test(line))).toEqual([
    '1 info attempt 1 started',
    '1 warn the worker died during attempt 1; the job is pending again',
    '2 info attempt 2 started',
    expect.stringMatching(/^2 info attempt 2 succeeded/),
  ]);
  expect(await world.db.worker.count()).toBe(0);
});

it('an entry that a killed worker had taken but not claimed is delivered again within a few leases', async () => {
  const leaseMs = 1_000;
  const id = await submitJob(person, 'greet', {});
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
  const killed = new Worker('io', null, { connection, prefix: '{jobline-io}', autorun: false, lockDuration: leaseMs });
  expect(await killed.getNextJob('its token')).toBeDefined();
  await killed.close(true);
  connection.disconnect();

  const greet = defineHandler({ type: 'greet', run: async () => 'hello' });
  const catalogue = createCatalogue([greet]);
  await world.alone.worker({ redisUrl: redis.url, prefix: 'jobline', catalogue, leaseMs });
  const beats = new Set<number>();
  await until('it to be done', async () => {
    for (const { heartbeatAt } of await world.db.worker.findMany()) beats.add(heartbeatAt.getTime());
    return (await person.get(`/jobs/${id}`)).body.status === 'done';
  });

  // Five heartbeats are a lease. The time limit of BullMQ, 30 s, would be 150 of them.
  expect(beats.size).toBeLessThan(75);
});
