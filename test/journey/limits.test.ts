import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let api: TestApi;
/** The jobs that run now, by the name in their payload. */
const running = new Set<string>();
/** The names of all jobs that started, in order. */
let started: string[] = [];
let isHeld = false;
let failing = new Set<string>();
/** The highest number of jobs that ran at the same time, by the first part of their names. */
let peaks = new Map<string, number>();

async function run(payload: object): Promise<void> {
  // The cast: the tests give every job a name.
  const { name } = payload as { name: string };
  running.add(name);
  started.push(name);
  const group = groupOf(name);
  const now = [...running].filter((one) => groupOf(one) === group).length;
  peaks.set(group, Math.max(peaks.get(group) ?? 0, now));
  try {
    if (isHeld) await until('the jobs to be released', () => !isHeld);
    if (failing.delete(name)) throw new Error('as the test wants');
  } finally {
    running.delete(name);
  }
}

const groupOf = (name: string) => name.split(':')[0] ?? '';
const types = ['first', 'second', 'third'].map((type) => defineHandler({ type, run }));

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  for (let n = 0; n < 2; n++)
    await world.worker({ catalogue: createCatalogue(types), queues: ['io'], concurrency: 20 });
});
afterEach(async () => {
  isHeld = false;
  await until('all jobs to end', () => running.size === 0);
  started = [];
  failing = new Set();
  peaks = new Map();
});
afterAll(() => world.end());

async function put(person: Person, name: string, limit: object): Promise<void> {
  const answer = await person.put(`/org/limits/${name}`, limit);
  if (answer.status !== 200) throw new Error(answer.text);
}

const submit = (person: Person, name: string, more: object = {}, type = 'first') =>
  submitJob(person, type, { name }, more);
const waitingFor = async (person: Person, id: string) => (await person.get(`/jobs/${id}`)).body.waiting_for;
const limitOf = async (person: Person, name: string) =>
  (await person.get('/org/limits')).body.find((limit: { name: string }) => limit.name === name);

describe('concurrency', () => {
  it('bounds the jobs that run at the same time, by type and by name, and every job runs', async () => {
    const person = await register(api.call);
    await put(person, 'by-type', { types: ['first'], concurrency: 2 });
    await put(person, 'by-name', { concurrency: 3 });

    isHeld = true;
    const ids = [];
    for (let n = 0; n < 15; n++) {
      ids.push(await submit(person, `type:${n}`));
      ids.push(await submit(person, `name:${n}`, { limit: 'by-name' }, 'second'));
    }
    await until('as many as possible to run', () => running.size === 5);
    isHeld = false;
    for (const id of ids) expect((await finishedJob(person, id)).job.status).toBe('done');

    expect(peaks.get('type')).toBe(2);
    expect(peaks.get('name')).toBe(3);
    expect(await limitOf(person, 'by-type')).toMatchObject({ running: 0, waiting: 0 });
  });

  it('a job that waits for a limit delays no other job, and says what it waits for', async () => {
    const person = await register(api.call);
    await put(person, 'one', { types: ['first'], concurrency: 1 });
    isHeld = true;
    await submit(person, 'held:0');
    await until('the first to run', () => running.has('held:0'));
    const waiting = [await submit(person, 'held:1'), await submit(person, 'held:2')];
    const other = await submit(person, 'other', {}, 'second');
    await until('the other to run', () => running.has('other'));

    expect(running.has('held:1')).toBe(false);
    for (const id of waiting) expect(await waitingFor(person, id)).toBe('limit:one');
    expect(await limitOf(person, 'one')).toMatchObject({ running: 1, waiting: 2 });
    isHeld = false;
    for (const id of [...waiting, other]) expect((await finishedJob(person, id)).job.status).toBe('done');
  });

  it('organizations whose limits allow no start leave their slots to others', async () => {
    for (let n = 0; n < 30; n++) {
      const blocked = await register(api.call);
      await put(blocked, 'gate', { types: ['first'], paused: true });
      await submit(blocked, 'blocked');
    }
    const person = await register(api.call);
    await put(person, 'wide', { types: ['first'], concurrency: 12 });
    isHeld = true;
    for (let n = 0; n < 12; n++) await submit(person, `free:${n}`);

    await until('all to run', () => running.size === 12);
    expect(started.filter((name) => groupOf(name) === 'blocked')).toEqual([]);
  });

  it('a job under several limits starts only when all allow it, and takes a share of none while it waits', async () => {
    const person = await register(api.call);
    await put(person, 'wide', { types: ['first', 'second'], concurrency: 2 });
    await put(person, 'narrow', { concurrency: 1 });
    isHeld = true;
    await submit(person, 'narrow:0', { limit: 'narrow' });
    await until('it to run', () => running.has('narrow:0'));
    const blocked = await submit(person, 'narrow:1', { limit: 'narrow' });
    expect(await waitingFor(person, blocked)).toBe('limit:narrow');
    await submit(person, 'wide:0', {}, 'second');
    await until('the other share of "wide" to be used', () => running.has('wide:0'));
    const both = await submit(person, 'narrow:2', { limit: 'narrow' });

    expect(await waitingFor(person, both)).toBe('limit:narrow');
    expect(running.has('narrow:1')).toBe(false);
    isHeld = false;
    for (const id of [blocked, both]) expect((await finishedJob(person, id)).job.status).toBe('done');
  });

  it('jobs of higher priority start first', async () => {
    const person = await register(api.call);
    await put(person, 'one', { concurrency: 1 });
    isHeld = true;
    await submit(person, 'p:first', { limit: 'one' });
    await until('the first to run', () => running.has('p:first'));
    const ids = [];
    for (const priority of [0, 5, 9, 5])
      ids.push(await submit(person, `p:${priority}.${ids.length}`, { limit: 'one', priority }));
    isHeld = false;
    for (const id of ids) await finishedJob(person, id);

    expect(started).toEqual(['p:first', 'p:9.2', 'p:5.1', 'p:5.3', 'p:0.0']);
  });
});

describe('keys', () => {
  it('each key has the whole bound to itself, and jobs without a key count as one key', async () => {
    const person = await register(api.call);
    await put(person, 'each', { types: ['first'], per: 'key', concurrency: 1 });
    isHeld = true;
    for (const key of ['a', 'b']) for (let n = 0; n < 2; n++) await submit(person, `${key}:${n}`, { key });
    const keyless = [await submit(person, 'none:0'), await submit(person, 'none:1')];
    await until('one of each to run', () => running.size === 3);

    expect([...running].map(groupOf).sort()).toEqual(['a', 'b', 'none']);
    expect(await waitingFor(person, keyless[1] ?? '')).toBe('limit:each');
    isHeld = false;
    for (const id of keyless) await finishedJob(person, id);
    await until('all to have run', () => started.length === 6);
    expect([...peaks.values()]).toEqual([1, 1, 1]);
  });

  it('ordered: the jobs of a key start in the order of acceptance, over types, retries and later times included', async () => {
    const person = await register(api.call);
    await put(person, 'lane', { types: ['first', 'second'], per: 'key', concurrency: 1, ordered: true });
    failing = new Set(['k:1']);
    const soon = new Date(Date.now() + 700).toISOString();
    const ids = [
      await submit(person, 'k:0', { key: 'k' }),
      await submit(person, 'k:1', { key: 'k', max_retries: 1 }, 'second'),
      await submit(person, 'k:2', { key: 'k', run_at: soon }),
      await submit(person, 'k:3', { key: 'k', priority: 9 }, 'second'),
      await submit(person, 'k:4', { key: 'k' }),
    ];
    const other = await submit(person, 'other:0', { key: 'other' });
    expect((await finishedJob(person, other)).job.status).toBe('done');
    for (const id of ids) expect((await finishedJob(person, id)).job.status).toBe('done');

    expect(started.filter((name) => groupOf(name) === 'k')).toEqual(['k:0', 'k:1', 'k:1', 'k:2', 'k:3', 'k:4']);
    expect(peaks.get('k')).toBe(1);
  });

  it('ordered: a job that is retried by hand goes to the end, and one that is canceled holds the next ones no longer', async () => {
    const person = await register(api.call);
    await put(person, 'lane', { per: 'key', concurrency: 1, ordered: true });
    const more = { key: 'k', limit: 'lane' };
    failing = new Set(['r:0']);
    const failed = await submit(person, 'r:0', more);
    expect((await finishedJob(person, failed)).job.status).toBe('failed');
    isHeld = true;
    await submit(person, 'r:1', more);
    await until('it to run', () => running.has('r:1'));
    const later = await submit(person, 'r:2', { ...more, run_at: new Date(Date.now() + 3_600_000).toISOString() });
    const last = await submit(person, 'r:3', more);
    expect((await person.post(`/jobs/${failed}/retry`)).status).toBe(202);
    isHeld = false;
    await until('the first to end', () => !running.has('r:1'));
    expect(await waitingFor(person, last)).toBe('limit:lane');
    expect((await person.post(`/jobs/${later}/cancel`)).status).toBe(202);
    for (const id of [last, failed]) expect((await finishedJob(person, id)).job.status).toBe('done');

    expect(started).toEqual(['r:0', 'r:1', 'r:3', 'r:0']);
  });
});

describe('rates', () => {
  it('at most `burst` start at once, and then so many per second', async () => {
    const person = await register(api.call);
    await put(person, 'slow', { types: ['first'], per_second: 20, burst: 3 });
    const ids = [];
    for (let n = 0; n < 25; n++) ids.push(await submit(person, `rate:${n}`));
    const stories = [];
    for (const id of ids) stories.push(await finishedJob(person, id));

    const starts = stories.map(({ attempts }) => Date.parse(attempts[0]?.started_at ?? '')).sort((a, b) => a - b);
    for (const [i, from] of starts.entries()) {
      for (const [n, to] of starts.slice(i).entries())
        expect(n + 1).toBeLessThanOrEqual(3 + (20 * (to - from)) / 1_000);
    }
  });

  it('retries count', async () => {
    const person = await register(api.call);
    await put(person, 'slow', { types: ['first'], per_second: 0.01, burst: 2 });
    failing = new Set(['retry:0']);
    const id = await submit(person, 'retry:0', { max_retries: 1 });
    expect((await finishedJob(person, id)).job.status).toBe('done');
    const next = await submit(person, 'retry:1');
    await until('it to wait', async () => (await waitingFor(person, next)) === 'limit:slow');
    await put(person, 'slow', { types: ['first'], per_second: 1_000, burst: 2 });

    expect((await finishedJob(person, next)).job.status).toBe('done');
  });
});

describe('changes', () => {
  it('pausing a limit keeps its jobs waiting, while running ones end; resuming lets them start', async () => {
    const person = await register(api.call);
    await put(person, 'gate', { types: ['first'], paused: true });
    const ids = [await submit(person, 'gate:0'), await submit(person, 'gate:1')];
    await until('them to wait', async () => (await waitingFor(person, ids[0] ?? '')) === 'limit:gate');
    expect(started).toEqual([]);
    expect((await person.patch('/org/limits/gate', { paused: false })).body).toMatchObject({
      paused: false,
      concurrency: null,
    });
    for (const id of ids) expect((await finishedJob(person, id)).job.status).toBe('done');
  });

  it('a new limit applies to jobs that wait already, a wider one frees some, and deleting it frees all', async () => {
    const person = await register(api.call);
    await put(person, 'one', { concurrency: 1 });
    isHeld = true;
    for (let n = 0; n < 60; n++) await submit(person, `many:${n}`, {}, 'third');
    await until('the slots to be used', () => running.size >= 30);
    await put(person, 'few', { types: ['third'], concurrency: 5 });
    isHeld = false;
    await until('all to have run', () => started.length === 60 && running.size === 0);
    peaks = new Map();
    started = [];
    isHeld = true;
    for (let n = 0; n < 12; n++) await submit(person, `many:${n}`, {}, 'third');
    await until('five to run', () => running.size === 5);
    await person.patch('/org/limits/few', { concurrency: 7 });
    await until('seven to run', () => running.size === 7);
    expect((await person.delete('/org/limits/few')).status).toBe(204);
    await until('all to run', () => running.size === 12);
    isHeld = false;
    await until('all to end', () => running.size === 0);
  });

  it('a job keeps the name of a deleted limit and counts under a new one of that name', async () => {
    const person = await register(api.call);
    await put(person, 'mine', { paused: true });
    const id = await submit(person, 'kept:0', { limit: 'mine' });
    isHeld = true;
    expect((await person.delete('/org/limits/mine')).status).toBe(204);
    await until('it to run', () => running.has('kept:0'));
    await put(person, 'mine', { concurrency: 1 });

    expect(await limitOf(person, 'mine')).toMatchObject({ running: 1, waiting: 0 });
    expect((await person.get(`/jobs/${id}`)).body.limit).toBe('mine');
    const next = await submit(person, 'kept:1', { limit: 'mine' });
    expect(await waitingFor(person, next)).toBe('limit:mine');
    isHeld = false;
    expect((await finishedJob(person, next)).job.status).toBe('done');
  });
});
