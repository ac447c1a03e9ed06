import { createCatalogue } from '@jobline/handlers';
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
import { createNamedJobs, groupOf } from './named-jobs.js';

let world: World;
let api: TestApi;
const jobs = createNamedJobs(['first', 'second', 'third']);

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  for (let n = 0; n < 2; n++)
    await world.worker({ catalogue: createCatalogue(jobs.handlers), queues: ['io'], concurrency: 20 });
});
afterEach(() => jobs.reset());
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

    jobs.isHeld = true;
    const ids = [];
    for (let n = 0; n < 15; n++) {
      ids.push(await submit(person, `type:${n}`));
      ids.push(await submit(person, `name:${n}`, { limit: 'by-name' }, 'second'));
    }
    await until('as many as possible to run', () => jobs.running.size === 5);
    jobs.isHeld = false;
    for (const id of ids) expect((await finishedJob(person, id)).job.status).toBe('done');

    expect(jobs.peaks.get('type')).toBe(2);
    expect(jobs.peaks.get('name')).toBe(3);
    expect(await limitOf(person, 'by-type')).toMatchObject({ running: 0, waiting: 0 });
  });

  it('a job that waits for a limit delays no other job, and says what it waits for', async () => {
    const person = await register(api.call);
    await put(person, 'one', { types: ['first'], concurrency: 1 });
    jobs.isHeld = true;
    await submit(person, 'held:0');
    await until('the first to run', () => jobs.running.has('held:0'));
    const waiting = [await submit(person, 'held:1'), await submit(person, 'held:2')];
    const other = await submit(person, 'other', {}, 'second');
    await until('the other to run', () => jobs.running.has('other'));

    expect(jobs.running.has('held:1')).toBe(false);
    for (const id of waiting) expect(await waitingFor(person, id)).toBe('limit:one');
    expect(await limitOf(person, 'one')).toMatchObject({ running: 1, waiting: 2 });
    jobs.isHeld = false;
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
    jobs.isHeld = true;
    for (let n = 0; n < 12; n++) await submit(person, `free:${n}`);

    await until('all to run', () => jobs.running.size === 12);
    expect(jobs.started.filter((name) => groupOf(name) === 'blocked')).toEqual([]);
  });

  it('a job under several limits starts only when all allow it, and takes a share of none while it waits', async () => {
    const person = await register(api.call);
    await put(person, 'wide', { types: ['first', 'second'], concurrency: 2 });
    await put(person, 'narrow', { concurrency: 1 });
    jobs.isHeld = true;
    await submit(person, 'narrow:0', { limit: 'narrow' });
    await until('it to run', () => jobs.running.has('narrow:0'));
    const blocked = await submit(person, 'narrow:1', { limit: 'narrow' });
    expect(await waitingFor(person, blocked)).toBe('limit:narrow');
    await submit(person, 'wide:0', {}, 'second');
    await until('the other share of "wide" to be used', () => jobs.running.has('wide:0'));
    const both = await submit(person, 'narrow:2', { limit: 'narrow' });

    expect(await waitingFor(person, both)).toBe('limit:narrow');
    expect(jobs.running.has('narrow:1')).toBe(false);
    jobs.isHeld = false;
    for (const id of [blocked, both]) expect((await finishedJob(person, id)).job.status).toBe('done');
  });

  it('a limit that is raised, resumed or deleted lets waiting jobs start', async () => {
    const person = await register(api.call);
    await put(person, 'raised', { concurrency: 1 });
    jobs.isHeld = true;
    for (let n = 0; n < 4; n++) await submit(person, `raised:${n}`, { limit: 'raised' });
    await until('one to start', () => jobs.started.length === 1);

    await person.patch('/org/limits/raised', { concurrency: 2 });
    await until('another one to start', () => jobs.started.length === 2);
    await person.patch('/org/limits/raised', { concurrency: 3, paused: true });
    await person.patch('/org/limits/raised', { paused: false });
    await until('a third to start', () => jobs.started.length === 3);
    await person.delete('/org/limits/raised');
    await until('the last to start', () => jobs.started.length === 4);
  });

  it('jobs of higher priority start first', async () => {
    const person = await register(api.call);
    await put(person, 'one', { concurrency: 1 });
    jobs.isHeld = true;
    await submit(person, 'p:first', { limit: 'one' });
    await until('the first to run', () => jobs.running.has('p:first'));
    const ids = [];
    for (const priority of [0, 5, 9, 5])
      ids.push(await submit(person, `p:${priority}.${ids.length}`, { limit: 'one', priority }));
    jobs.isHeld = false;
    for (const id of ids) await finishedJob(person, id);

    expect(jobs.started).toEqual(['p:first', 'p:9.2', 'p:5.1', 'p:5.3', 'p:0.0']);
  });
});

describe('keys', () => {
  it('a job that expires while it waits in order lets the next one of its key start', async () => {
    const person = await register(api.call);
    await put(person, 'lane', { per: 'key', concurrency: 1, ordered: true });
    const run_at = new Date(Date.now() + 3_600_000).toISOString();
    const first = await submit(person, 'e:0', { limit: 'lane', key: 'k', run_at });
    const second = await submit(person, 'e:1', { limit: 'lane', key: 'k' });
    expect(await waitingFor(person, second)).toBe('limit:lane');
    await world.db.$executeRaw`
      UPDATE live_jobs SET expires_at = now() WHERE org_id = ${person.orgId}::uuid AND id = ${first}`;
    expect((await finishedJob(person, first)).result.error.code).toBe('expired');
    expect((await finishedJob(person, second)).job.status).toBe('done');
  });

  it('each key has the whole rate to itself, and jobs without a key count as one key', async () => {
    const person = await register(api.call);
    await put(person, 'rate', { types: ['first'], per: 'key', per_second: 0.01, burst: 1 });
    const ids = [];
    for (const key of ['a', 'b', undefined]) {
      for (let n = 0; n < 2; n++) ids.push(await submit(person, `${key}:${n}`, { key }));
    }
    await until('one of each to run', () => jobs.started.length === 3);
    await until('the others to wait', async () => (await limitOf(person, 'rate')).waiting === 3);

    expect(jobs.started.toSorted()).toEqual(['a:0', 'b:0', 'undefined:0']);
    for (const id of [ids[1], ids[3], ids[5]]) expect(await waitingFor(person, id ?? '')).toBe('limit:rate');
    await person.delete('/org/limits/rate');
    await until('all to run', () => jobs.started.length === 6);
  });

  it.each(['k', undefined])(
    'ordered: after a job of the key %s has failed for good, the next one starts',
    async (key) => {
      const person = await register(api.call);
      await put(person, 'lane', { per: 'key', concurrency: 1, ordered: true });
      jobs.isHeld = true;
      jobs.failing.add('f:0');
      const first = await submit(person, 'f:0', { limit: 'lane', key });
      const second = await submit(person, 'f:1', { limit: 'lane', key });
      await until('the first to run', () => jobs.running.has('f:0'));
      expect(await waitingFor(person, second)).toBe('limit:lane');
      jobs.isHeld = false;
      expect((await finishedJob(person, first)).job.status).toBe('failed');
      expect((await finishedJob(person, second)).job.status).toBe('done');

      expect(jobs.started).toEqual(['f:0', 'f:1']);
    },
  );

  it('each key has the whole bound to itself, and jobs without a key count as one key', async () => {
    const person = await register(api.call);
    await put(person, 'each', { types: ['first'], per: 'key', concurrency: 1 });
    jobs.isHeld = true;
    for (const key of ['a', 'b']) for (let n = 0; n < 2; n++) await submit(person, `${key}:${n}`, { key });
    const keyless = [await submit(person, 'none:0'), await submit(person, 'none:1')];
    await until('one of each to run', () => jobs.running.size === 3);

    expect([...jobs.running].map(groupOf).sort()).toEqual(['a', 'b', 'none']);
    expect(await waitingFor(person, keyless[1] ?? '')).toBe('limit:each');
    jobs.isHeld = false;
    for (const id of keyless) await finishedJob(person, id);
    await until('all to have run', () => jobs.started.length === 6);
    expect([...jobs.peaks.values()]).toEqual([1, 1, 1]);
  });

  it('ordered: the jobs of a key start in the order of acceptance, over types, retries and later times included', async () => {
    const person = await register(api.call);
    await put(person, 'lane', { types: ['first', 'second'], per: 'key', concurrency: 1, ordered: true });
    jobs.failing = new Set(['k:1']);
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

    expect(jobs.started.filter((name) => groupOf(name) === 'k')).toEqual(['k:0', 'k:1', 'k:1', 'k:2', 'k:3', 'k:4']);
    expect(jobs.peaks.get('k')).toBe(1);
  });

  it('ordered: a job that is retried by hand goes to the end, and one that is canceled holds the next ones no longer', async () => {
    const person = await register(api.call);
    await put(person, 'lane', { per: 'key', concurrency: 1, ordered: true });
    const more = { key: 'k', limit: 'lane' };
    jobs.failing = new Set(['r:0']);
    const failed = await submit(person, 'r:0', more);
    expect((await finishedJob(person, failed)).job.status).toBe('failed');
    jobs.isHeld = true;
    await submit(person, 'r:1', more);
    await until('it to run', () => jobs.running.has('r:1'));
    const later = await submit(person, 'r:2', { ...more, run_at: new Date(Date.now() + 3_600_000).toISOString() });
    const last = await submit(person, 'r:3', more);
    expect((await person.post(`/jobs/${failed}/retry`)).status).toBe(202);
    jobs.isHeld = false;
    await until('the first to end', () => !jobs.running.has('r:1'));
    expect(await waitingFor(person, last)).toBe('limit:lane');
    expect((await person.post(`/jobs/${later}/cancel`)).status).toBe(202);
    for (const id of [last, failed]) expect((await finishedJob(person, id)).job.status).toBe('done');

    expect(jobs.started).toEqual(['r:0', 'r:1', 'r:3', 'r:0']);
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
    jobs.failing = new Set(['retry:0']);
    const id = await submit(person, 'retry:0', { max_retries: 1 });
    expect((await finishedJob(person, id)).job.status).toBe('done');
    const next = await submit(person, 'retry:1');
    await until('it to wait', async () => (await waitingFor(person, next)) === 'limit:slow');
    await put(person, 'slow', { types: ['first'], per_second: 1_000, burst: 2 });

    expect((await finishedJob(person, next)).job.status).toBe('done');
  });
});
