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
/** How often each job has begun. */
let begun: Map<string, number>;
/** Functions that end the running jobs of the type `hold`. */
let held: (() => void)[];
/** Whether further jobs of the type `hold` end at once. */
let isReleased: boolean;

const count = (key: string) => begun.set(key, (begun.get(key) ?? 0) + 1);
const quick = defineHandler({ type: 'quick', run: async (_payload, ctx) => void count(ctx.idempotencyKey) });
const rare = defineHandler({ type: 'rare', run: async (_payload, ctx) => void count(ctx.idempotencyKey) });
const hold = defineHandler({
  type: 'hold',
  run: (_payload, ctx) => {
    count(ctx.idempotencyKey);
    return isReleased ? Promise.resolve() : new Promise<void>((resolve) => held.push(resolve));
  },
});
const catalogue = createCatalogue([quick, hold]);

beforeEach(async () => {
  [begun, held, isReleased] = [new Map(), [], false];
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

/** Stores one job of each type, and adds one entry that carries all of them. Returns their ids. */
async function addChunk(types: readonly string[], isLowPriority = false): Promise<JobKey[]> {
  const keys = types.map(() => newId() as JobKey); // The cast: these jobs are created here.
  const [chunkKey = null] = keys;
  const job = { queue: 'io', payload: '{}', contentHash: null, priority: 0, maxRetries: 0, runAt: null };
  const orgId = person.orgId as OrgId; // The cast: it is the id of an organization.
  await insertJobs(
    world.hot,
    types.map((type, n) => {
      const key = keys[n] ?? (newId() as JobKey); // The cast: as above.
      return { ...job, type, key, id: key, orgId, traceparent: null, hasCapacity: true, chunkKey };
    }),
  );
  await producer.add([{ queue: 'io', id: `${chunkKey}-c1`, keys, delayMs: 0, isLowPriority }]);
  return keys;
}

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
const begins = () => [...begun.values()].reduce((sum, n) => sum + n, 0);

it('the jobs of a chunk whose worker is killed before its claims run once each', async () => {
  const keys = await addChunk(['quick', 'quick', 'quick']);
  await fetchEntry(false);

  await worker(20);

  expect(await statuses(keys)).toEqual(['done', 'done', 'done']);
  expect([...begun.values()]).toEqual([1, 1, 1]);
});

it('the jobs of a chunk whose worker is killed after half of its claims are done, and none is lost', async () => {
  const keys = await addChunk(['quick', 'quick', 'quick', 'quick']);
  await fetchEntry(false);
  await world.db.job.updateMany({
    where: { key: { in: keys.slice(0, 2) } },
    data: { status: 'processing', attempt: 1, workerId: newId(), claimToken: newId(), startedAt: new Date() },
  });

  await worker(20);

  expect(await statuses(keys)).toEqual(['done', 'done', 'done', 'done']);
  expect([...begun.values()]).toEqual([1, 1, 1, 1]);
  const rows = await world.db.job.findMany({ where: { key: { in: keys } }, orderBy: { key: 'asc' } });
  expect(rows.map(({ crashCount }) => crashCount)).toEqual([1, 1, 0, 0]);
});

it('a canceled, an early and an unhandled job of a chunk do not delay the others', async () => {
  const keys = await addChunk(['quick', 'quick', 'quick', 'rare', 'quick']);
  const [first = '', canceled = '', early = '', unhandled = '', last = ''] = keys;
  expect((await person.post(`/jobs/${canceled}/cancel`, {})).status).toBe(202);
  const dueAt = Date.now() + 1_500;
  await world.db.job.update({ where: { key: early }, data: { runAt: new Date(dueAt) } });
  // A job of a type that no worker ever had fails at once, and one of these workers starts first.
  const seen = { queue: 'io', lastSeenAt: new Date() };
  await world.db.jobType.createMany({ data: ['quick', 'rare'].map((type) => ({ type, ...seen })) });
  await worker(20, { catalogue: createCatalogue([rare]) });
  await worker(20);

  expect(await statuses([first, last, canceled, unhandled])).toEqual(['done', 'done', 'failed', 'done']);
  const story = await finishedJob(person, early);
  expect(Date.parse(story.result.started_at)).toBeGreaterThanOrEqual(dueAt);
  const others = await world.db.job.findMany({ where: { key: { in: [first, last] } } });
  for (const { startedAt } of others)
    expect(startedAt?.getTime()).toBeLessThanOrEqual(Date.parse(story.result.started_at));
  expect(begun.has(canceled)).toBe(false);
  expect([...begun.values()]).toEqual([1, 1, 1, 1]);
});

it('the jobs of a chunk that find no slot on one worker run on another', async () => {
  await worker(2);
  await worker(2);
  const keys = await addChunk(['hold', 'hold', 'hold', 'hold']);

  await until('all of them to run', () => begun.size === 4);
  expect(held).toHaveLength(4);
  const rows = await world.db.job.findMany({ where: { key: { in: keys } } });
  expect(new Set(rows.map(({ workerId }) => workerId)).size).toBe(2);
  release();
  expect(await statuses(keys)).toEqual(['done', 'done', 'done', 'done']);
});

it('a worker never runs more jobs of chunks than it has slots', async () => {
  const keys = [...(await addChunk(['hold', 'hold', 'hold'])), ...(await addChunk(['hold', 'hold', 'hold']))];
  await worker(4);

  await until('all slots to be used', () => begun.size === 4);
  for (let n = 0; n < 10; n++) await submitJob(person, 'quick', {});
  expect(begins()).toBe(4);
  held.shift()?.();
  await until('the free slot to be used', () => begins() > 4);
  release();
  expect(await statuses(keys)).toEqual(['done', 'done', 'done', 'done', 'done', 'done']);
});

it('no job of a later chunk starts while a job of an earlier one waits for a slot', async () => {
  const [first, second] = [
    await addChunk(['hold', 'hold', 'hold'], true),
    await addChunk(['hold', 'hold', 'hold'], true),
  ];
  await worker(2);

  for (let n = 1; n < 6; n++) {
    await until('a slot to be used', () => begun.size === Math.min(6, n + 1));
    held.shift()?.();
  }
  expect([...begun.keys()].slice(0, 3).sort()).toEqual([...first].sort());
  release();
  expect(await statuses(second)).toEqual(['done', 'done', 'done']);
});

it('the jobs of a chunk that is half claimed when Redis loses its data run once each', async () => {
  await worker(2);
  const keys = await addChunk(['hold', 'hold', 'hold', 'hold']);
  await until('half of them to run', () => begun.size === 2);

  await redis.flushAll();
  release();

  expect(await statuses(keys)).toEqual(['done', 'done', 'done', 'done']);
  expect([...begun.values()]).toEqual([1, 1, 1, 1]);
});

it('the jobs of a chunk that a worker of version 0.1 has finished run nevertheless', async () => {
  const keys = await addChunk(['quick', 'quick', 'quick']);
  await fetchEntry(true);

  await worker(20);

  expect(await statuses(keys)).toEqual(['done', 'done', 'done']);
  expect([...begun.values()]).toEqual([1, 1, 1]);
});
