import type { JobKey, OrgId } from '@jobline/contracts';
import { insertJobs } from '@jobline/db/job-transitions';
import { createEvents, createProducer, type Producer } from '@jobline/engine';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { newId } from '@jobline/runtime';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
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
let person: Person;
let producer: Producer;
/** The jobs in the order in which they have begun. */
let begun: string[];
/** Functions that end the running jobs of the type `hold`. */
let held: (() => void)[];
/** Whether further jobs of the type `hold` end at once. */
let isReleased: boolean;

const quick = defineHandler({ type: 'quick', run: async (_payload, ctx) => void begun.push(ctx.idempotencyKey) });
const rare = defineHandler({ type: 'rare', run: async (_payload, ctx) => void begun.push(ctx.idempotencyKey) });
const hold = defineHandler({
  type: 'hold',
  run: (_payload, ctx) => {
    begun.push(ctx.idempotencyKey);
    return isReleased ? Promise.resolve() : new Promise<void>((resolve) => held.push(resolve));
  },
});
const catalogue = createCatalogue([quick, hold]);

beforeEach(async () => {
  [begun, held, isReleased] = [[], [], false];
  world = await createWorld();
  redis = await startOwnRedis();
  person = await register((await world.api({ redisUrl: redis.url })).call);
  const options = { redisUrl: redis.url, prefix: world.prefix, queues: ['io'], events: createEvents() };
  producer = createProducer(options);
});
afterEach(async () => {
  release();
  await producer.close();
  await world.end();
  await redis.end();
});

function release(): void {
  isReleased = true;
  for (const end of held.splice(0)) end();
}

const worker = (slots: number, more = {}) =>
  world.alone.worker({ redisUrl: redis.url, catalogue, concurrency: slots, queues: ['io'], leaseMs: 1_000, ...more });

/** Stores a waiting job of each type. Returns their ids. */
async function store(types: readonly string[], hasCapacity = false): Promise<JobKey[]> {
  const orgId = person.orgId as OrgId; // The cast: it is the id of an organization.
  const job = { orgId, queue: 'io', payload: '{}', contentHash: null, priority: 0, maxRetries: 0, runAt: null };
  const jobs = types.map((type) => {
    const key = newId() as JobKey; // The cast: the job is created here.
    return { ...job, type, key, id: key, traceparent: null, hasCapacity };
  });
  await insertJobs(world.hot, jobs);
  return jobs.map(({ key }) => key);
}

const addTicket = (n: number, count: number) =>
  producer.add([
    {
      ...{ queue: 'io', id: `${person.orgId}-t${n}`, key: null, delayMs: 0 },
      ticket: { orgId: person.orgId as OrgId, count }, // The cast: it is the id of an organization.
    },
  ]);

/** Fetches the next entry like a worker that is killed then, or that `finish`es it like one of version 0.1. */
async function fetchEntry(finish: boolean): Promise<void> {
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
  const prefix = `{${world.prefix}-io}`;
  const fetcher = new Worker('io', null, { connection, prefix, autorun: false, lockDuration: 1_000 });
  const entry = await fetcher.getNextJob('its token');
  expect(entry).toBeDefined();
  if (finish) await entry?.moveToCompleted(null, 'its token', false);
  await fetcher.close(true);
  connection.disconnect();
}

const statuses = async (keys: readonly string[]) =>
  Promise.all(keys.map(async (id) => (await finishedJob(person, id)).job.status));
const sorted = (keys: readonly string[]) => [...keys].sort();

it.each([
  ['is killed', false],
  ['of version 0.1 has finished it', true],
])('the jobs of a ticket whose worker %s before it claims them run once each', async (_how, finish) => {
  const keys = await store(['quick', 'quick', 'quick']);
  await addTicket(1, 3);
  await fetchEntry(finish);

  await worker(20);

  expect(await statuses(keys)).toEqual(['done', 'done', 'done']);
  expect(sorted(begun)).toEqual(sorted(keys));
});

it('two workers with tickets of one organization run each job once', async () => {
  const keys = await store(Array.from({ length: 40 }, () => 'quick'));
  for (let n = 1; n <= 8; n++) await addTicket(n, 10);

  await Promise.all([worker(20), worker(20)]);

  await statuses(keys);
  expect(sorted(begun)).toEqual(sorted(keys));
});

it('the jobs of a ticket run on several workers if one has too few slots', async () => {
  const keys = await store(['hold', 'hold', 'hold', 'hold']);
  await worker(2);
  await worker(2);

  await until('all of them to run', () => begun.length === 4);
  const rows = await world.db.job.findMany({ where: { key: { in: keys } } });
  expect(new Set(rows.map(({ workerId }) => workerId)).size).toBe(2);
  release();
  expect(await statuses(keys)).toEqual(['done', 'done', 'done', 'done']);
});

it('a worker never runs more jobs of tickets than it has slots', async () => {
  const keys = await store(['hold', 'hold', 'hold', 'hold', 'hold', 'hold']);
  await worker(4);

  await until('all slots to be used', () => begun.length === 4);
  for (let n = 0; n < 10; n++) await submitJob(person, 'quick', {});
  expect(begun).toHaveLength(4);
  held.shift()?.();
  await until('the free slot to be used', () => begun.length > 4);
  release();
  expect(await statuses(keys)).toEqual(['done', 'done', 'done', 'done', 'done', 'done']);
});

it('the jobs of an organization whose tickets are lost with the data of Redis run once each', async () => {
  await worker(2);
  const keys = await store(['hold', 'hold', 'hold', 'hold']);
  await until('half of them to run', () => begun.length === 2);

  await redis.flushAll();
  release();

  expect(await statuses(keys)).toEqual(['done', 'done', 'done', 'done']);
  expect(sorted(begun)).toEqual(sorted(keys));
});

it('a job that gets a higher priority while it waits starts before the others', async () => {
  await worker(2);
  await until('its slots to be published', async () => (await producer.count('io'))?.slots === 2);
  const ids: string[] = [];
  for (let n = 0; n < 14; n++) {
    const { body } = await person.post('/jobs', { type: 'hold', payload: {}, priority: 1 });
    ids.push(body.id);
  }
  await until('both slots to be used', () => begun.length === 2);
  const last = ids.at(-1) ?? '';
  expect((await person.patch(`/jobs/${last}`, { priority: 9 })).status).toBe(200);

  release();
  await statuses(ids);

  // The first few are enqueued at their submission.
  const keyOf = new Map((await world.db.job.findMany()).map(({ id, key }) => [id, key]));
  expect(begun.indexOf(keyOf.get(last) ?? '')).toBeLessThan(6);
});

it('jobs of a type that another worker of the queue handles do not delay the others', async () => {
  // A job of a type that no worker ever had fails at once, and one of these workers starts first.
  const seen = { queue: 'io', lastSeenAt: new Date() };
  await world.db.jobType.createMany({ data: ['quick', 'rare'].map((type) => ({ type, ...seen })) });
  const others = await store(['rare', 'rare', 'rare']);
  const keys = await store(['quick', 'quick']);
  await worker(20);
  expect(await statuses(keys)).toEqual(['done', 'done']);

  await worker(20, { catalogue: createCatalogue([rare]) });
  expect(await statuses(others)).toEqual(['done', 'done', 'done']);
});

it('the jobs of an entry of version 0.1 that carries several run once each', async () => {
  const keys = await store(['quick', 'quick', 'quick'], true);
  const connection = new Redis(redis.url);
  await producer.add([{ queue: 'io', id: `${keys[0]}-c1`, key: keys[0] ?? null, delayMs: 0 }]);
  await connection.hset(`{${world.prefix}-io}:io:${keys[0]}-c1`, 'data', JSON.stringify({ keys }));
  connection.disconnect();

  await worker(20);

  expect(await statuses(keys)).toEqual(['done', 'done', 'done']);
  expect(sorted(begun)).toEqual(sorted(keys));
});
