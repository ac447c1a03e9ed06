import { setTimeout } from 'node:timers/promises';
import { createCatalogue, defineHandler, RetryLater } from '@jobline/handlers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Call,
  createWorld,
  finishedJob,
  keysLike,
  makeDue,
  openRedis,
  type Person,
  register,
  runToEnd,
  submitJob,
  until,
  type World,
  waitingEntries,
} from '../harness/index.js';

let world: World;
let redis: ReturnType<typeof openRedis>;
let call: Call;
let person: Person;
/** The started jobs, in order. */
let started: string[];
let isHeld: boolean;
/** How long a job still takes when it is let go. */
let restMs: number;
let mayFail: boolean;

/** Slower machines need longer for the fast jobs. */
const SLOWNESS = Number(process.env.TEST_SLOWNESS ?? 1);
const SLOW_MS = 2_000 * SLOWNESS;

const catalogue = createCatalogue([
  defineHandler<{ name: string }>({
    type: 'held',
    async run({ name }, { signal }) {
      started.push(name);
      await until(`${name} to be let go`, () => !isHeld || signal.aborted);
      await setTimeout(restMs);
    },
  }),
  defineHandler<{ name: string }>({
    type: 'shaky',
    async run({ name }, { attempt }) {
      started.push(`${name} ${attempt}`);
      if (attempt > 1) return;
      await until(`${name} to fail`, () => mayFail);
      throw new RetryLater(300, 'not yet');
    },
  }),
  defineHandler({
    type: 'slow',
    async run(_payload, { signal }) {
      started.push('slow');
      await setTimeout(SLOW_MS, null, { signal });
    },
  }),
  defineHandler<{ waitMs: number }>({
    type: 'later',
    async run({ waitMs }) {
      throw new RetryLater(waitMs, 'come back later');
    },
  }),
]);

beforeEach(async () => {
  started = [];
  isHeld = true;
  restMs = 0;
  mayFail = false;
  world = await createWorld();
  redis = openRedis(world.redisUrl);
  ({ call } = await world.api());
  person = await register(call);
});
afterEach(async () => {
  isHeld = false;
  mayFail = true;
  await world.end();
  redis.disconnect();
});

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

async function entriesInRedis(): Promise<number> {
  const lists = (name: string) => keysLike(redis, `{${world.prefix}-io}:io:${name}`);
  const [waiting, active, delayed] = await Promise.all([
    waitingEntries(redis, world.prefix).then((entries) => entries.length),
    lists('active').then((keys) => sumOf(keys, (key) => redis.llen(key))),
    lists('delayed').then((keys) => sumOf(keys, (key) => redis.zcard(key))),
  ]);
  return waiting + active + delayed;
}

async function sumOf(keys: string[], count: (key: string) => Promise<number>): Promise<number> {
  return (await Promise.all(keys.map(count))).reduce((sum, n) => sum + n, 0);
}

function submitHeld(who: Person, name: string, more: object = {}): Promise<string> {
  return submitJob(who, 'held', { name }, more);
}

describe('the window', () => {
  it('a queue holds no more jobs in Redis than its window, and no later job is lost', async () => {
    await world.alone.worker({ catalogue, concurrency: 5, window: 20 });
    await until('the window to be known', () => redis.get(`{${world.prefix}-io}:window`));
    const ids = await Promise.all(Array.from({ length: 150 }, (_, n) => submitHeld(person, `${n}`)));
    await until('five to run', () => started.length === 5);

    const held = await entriesInRedis();
    isHeld = false;
    for (const id of ids) expect((await finishedJob(person, id)).job.status).toBe('done');

    expect(held).toBeGreaterThanOrEqual(5);
    // Submissions that were in progress when the window filled up may each have been counted.
    expect(held).toBeLessThanOrEqual(120);
    expect(started).toHaveLength(150);
    await until('Redis to be empty', async () => (await entriesInRedis()) === 0);
  });

  it("an organization's job overtakes the flood of another", async () => {
    await world.alone.worker({ catalogue, concurrency: 5, window: 20 });
    await until('the window to be known', () => redis.get(`{${world.prefix}-io}:window`));
    const other = await register(call);
    await Promise.all(Array.from({ length: 300 }, (_, n) => submitHeld(person, `flood ${n}`)));
    await until('five to run', () => started.length === 5);

    const id = await submitHeld(other, 'the other');
    // Jobs without a duration could all run while a round of the dispatcher reads what waits.
    restMs = 30 * SLOWNESS;
    isHeld = false;
    await finishedJob(other, id);

    // Before it come jobs that were in Redis already, and those of its round.
    expect(started.indexOf('the other')).toBeLessThan(150);
    await until('the flood to be through', () => started.length === 301);
  });

  it("an organization's retry and its later jobs overtake the flood of another once the retry is due", async () => {
    await world.alone.worker({ catalogue, concurrency: 5, window: 100 });
    await until('the window to be known', () => redis.get(`{${world.prefix}-io}:window`));
    const other = await register(call);
    const retried = await submitJob(other, 'shaky', { name: 'retried' }, { max_retries: 1 });
    await until('it to run', () => started.length === 1);

    const jobs = Array.from({ length: 300 }, (_, n) => ({ type: 'held', payload: { name: `flood ${n}` } }));
    expect((await person.post('/jobs/batch', { jobs })).status).toBe(202);
    await until('five to run', () => started.length === 1 + 4);
    mayFail = true;
    await until('its slot to be used', () => started.length === 1 + 5);
    await until('it to fail', async () => (await world.db.job.count({ where: { retries: 1 } })) === 1);
    const meanwhile = await submitHeld(other, 'meanwhile');
    const { runAt } = await world.db.job.findFirstOrThrow({ where: { orgId: other.orgId, id: retried } });
    await until('the retry to be due', () => Date.now() > runAt.getTime());
    isHeld = false;
    for (const id of [meanwhile, retried]) expect((await finishedJob(other, id)).job.status).toBe('done');

    // Before them come the first twenty jobs of the flood, and those that ran already.
    for (const name of ['meanwhile', 'retried 2']) expect(started.indexOf(name)).toBeLessThan(50);
    await until('the flood to be through', () => started.length === 303);
  });

  it('the dispatcher takes the waiting jobs of several organizations in turns', async () => {
    const people = [person, await register(call), await register(call)];
    // No worker consumes yet: jobs beyond the window wait in Postgres.
    await redis.set(`{${world.prefix}-io}:window`, 4);
    await until('the window to be full', async () => {
      await submitHeld(person, 'first');
      return (await world.db.job.count({ where: { place: 'waiting' } })) > 0;
    });
    for (const [i, who] of people.entries()) {
      await Promise.all(Array.from({ length: 40 }, (_, n) => submitHeld(who, `turn ${i} ${n}`)));
    }
    isHeld = false;
    await world.alone.worker({ catalogue, concurrency: 2, window: 4 });
    const total = await world.db.job.count();
    await until('all to be through', () => started.length === total);

    const turns = started.filter((name) => name.startsWith('turn 1') || name.startsWith('turn 2'));
    const half = turns.slice(0, turns.length / 2);
    const ofOne = half.filter((name) => name.startsWith('turn 1')).length;
    // In the order of submission it would be all of them.
    expect(ofOne).toBeGreaterThan(half.length * 0.25);
    expect(ofOne).toBeLessThan(half.length * 0.75);
  });

  it('the fast jobs of an organization run while three others have slow jobs for all slots', async () => {
    await world.alone.worker({ catalogue, concurrency: 20, window: 24 });
    await until('the window to be known', () => redis.get(`{${world.prefix}-io}:window`));
    const others = [await register(call), await register(call), await register(call)];
    for (const other of others) {
      const jobs = Array.from({ length: 60 }, () => ({ type: 'slow', payload: {} }));
      expect((await other.post('/jobs/batch', { jobs })).status).toBe(202);
    }
    isHeld = false;
    const jobs = Array.from({ length: 300 }, (_, n) => ({ type: 'held', payload: { name: `fast ${n}` } }));
    expect((await person.post('/jobs/batch', { jobs })).status).toBe(202);
    await until('the fast jobs to run', () => started.filter((name) => name !== 'slow').length === 300);

    // Without shares of the slots, the fast jobs would run after nearly all slow ones.
    expect(started.filter((name) => name === 'slow').length).toBeLessThan(120);
  });

  it("the dispatcher takes an organization's waiting jobs by priority and then age", async () => {
    ({ call } = await world.api());
    person = await register(call);
    const first = await world.alone.worker({ catalogue, concurrency: 1, window: 1 });
    await submitHeld(person, 'blocks');
    await until('it to run', () => started.length === 1);
    await until('the window to be seen full', async () => {
      await submitHeld(person, 'fills');
      return (await world.db.job.count({ where: { place: 'waiting' } })) > 0;
    });
    for (const [name, priority] of [
      ['low 1', 0],
      ['mid 1', 5],
      ['high 1', 9],
      ['low 2', 0],
      ['high 2', 9],
      ['mid 2', 5],
    ] as const) {
      await submitHeld(person, name, { priority });
    }

    // A dispatcher that runs already may continue where it was while Postgres is slow. A new one begins with the first jobs.
    await first.stop(0);
    isHeld = false;
    await world.alone.worker({ catalogue, concurrency: 1, window: 1 });
    const ranked = () => started.filter((name) => /^(low|mid|high) /.test(name));
    await until('all to be through', () => ranked().length === 6);

    expect(ranked()).toEqual(['high 1', 'high 2', 'mid 1', 'mid 2', 'low 1', 'low 2']);
  });
});

describe('a job that is not due', () => {
  it('a scheduled job waits in Postgres, outside of Redis, and runs at its time', async () => {
    isHeld = false;
    await world.worker({ catalogue });
    const id = await submitHeld(person, 'due later', { run_at: inAnHour() });

    expect(await entriesInRedis()).toBe(0);
    expect(await world.db.job.findFirst({ where: { id } })).toMatchObject({ status: 'pending', place: 'scheduled' });
    const runAt = await makeDue(world.db, id, 300);
    const story = await finishedJob(person, id);

    expect(Date.parse(story.result.started_at)).toBeGreaterThanOrEqual(runAt);
  });

  it('a scheduled job that is delivered early is moved back to its time', async () => {
    isHeld = false;
    // On a machine so slow that the job is no longer early, this proves nothing and fails nothing.
    const runAt = Date.now() + 1_500;
    const id = await submitHeld(person, 'early', { run_at: new Date(runAt).toISOString() });
    const { key } = await world.db.job.findFirstOrThrow({ where: { id } });
    await world.db.job.updateMany({
      where: { id },
      data: { place: 'enqueued', enqueueSeq: 1, enqueuedAt: new Date() },
    });
    await world.addEntry(key, 1);
    await world.worker({ catalogue });

    const story = await finishedJob(person, id);

    expect(Date.parse(story.result.started_at)).toBeGreaterThanOrEqual(runAt);
    expect(story.logs.filter((line) => line.message.endsWith('started'))).toHaveLength(1);
  });

  it('a retry waits in Postgres if it is too far in the future for Redis', async () => {
    await world.worker({ catalogue });
    const far = await submitJob(person, 'later', { waitMs: 660_000 }, { max_retries: 1 });
    const near = await submitJob(person, 'later', { waitMs: 300_000 }, { max_retries: 1 });
    await until('both to have failed once', async () => (await world.db.job.count({ where: { retries: 1 } })) === 2);

    expect((await world.db.job.findFirst({ where: { id: far } }))?.place).toBe('scheduled');
    expect((await world.db.job.findFirst({ where: { id: near } }))?.place).toBe('enqueued');
    await until('one entry to be left', async () => (await entriesInRedis()) === 1);
  });
});

it('a job that is done leaves nothing in Redis', async () => {
  isHeld = false;
  await world.worker({ catalogue });
  await runToEnd(person, 'held', { name: 'only' });

  await until('Redis to be empty', async () => (await entriesInRedis()) === 0);
  expect(await keysLike(redis, `{${world.prefix}-io}:io:*-*-*`)).toEqual([]);
});
