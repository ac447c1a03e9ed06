import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  openRedis,
  type Person,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
  waitingEntries,
} from '../harness/index.js';
import { createNamedJobs } from './named-jobs.js';

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

describe('changes', () => {
  it('pausing a limit keeps its jobs waiting, while running ones end; resuming lets them start', async () => {
    const person = await register(api.call);
    await put(person, 'gate', { types: ['first'], paused: true });
    const ids = [await submit(person, 'gate:0'), await submit(person, 'gate:1')];
    await until('them to wait', async () => (await waitingFor(person, ids[0] ?? '')) === 'limit:gate');
    expect(jobs.started).toEqual([]);
    expect((await person.patch('/org/limits/gate', { paused: false })).body).toMatchObject({
      paused: false,
      concurrency: null,
    });
    for (const id of ids) expect((await finishedJob(person, id)).job.status).toBe('done');
  });

  it('a new limit applies to jobs that wait already, a wider one frees some, and deleting it frees all', async () => {
    const person = await register(api.call);
    await put(person, 'one', { concurrency: 1 });
    jobs.isHeld = true;
    for (let n = 0; n < 60; n++) await submit(person, `many:${n}`, {}, 'third');
    await until('the slots to be used', () => jobs.running.size >= 30);
    await put(person, 'few', { types: ['third'], concurrency: 5 });
    jobs.isHeld = false;
    await until('all to have run', () => jobs.started.length === 60 && jobs.running.size === 0);
    jobs.peaks = new Map();
    jobs.started = [];
    jobs.isHeld = true;
    for (let n = 0; n < 12; n++) await submit(person, `many:${n}`, {}, 'third');
    await until('five to run', () => jobs.running.size === 5);
    await person.patch('/org/limits/few', { concurrency: 7 });
    await until('seven to run', () => jobs.running.size === 7);
    expect((await person.delete('/org/limits/few')).status).toBe(204);
    await until('all to run', () => jobs.running.size === 12);
    jobs.isHeld = false;
    await until('all to end', () => jobs.running.size === 0);
  });

  it('a limit that is created and paused while all slots are used starts none of the jobs that wait', async () => {
    const person = await register(api.call);
    jobs.isHeld = true;
    const flood = Array.from({ length: 200 }, (_, n) => ({ type: 'third', payload: { name: `flood:${n}` } }));
    expect((await person.post('/jobs/batch', { jobs: flood })).status).toBe(202);
    // All but the slots that are reserved for organizations that run few jobs.
    await until('the slots to be used', () => jobs.running.size >= 36);
    const count = (where: object) => world.db.job.count({ where: { orgId: person.orgId, ...where } });
    await put(person, 'stopped', { types: ['third'], paused: true });
    const claimed = await count({ attempt: { gt: 0 } });
    jobs.isHeld = false;
    await until('the others to be held', async () => (await count({ place: 'held' })) === 200 - claimed);
    await until('none to count as running', async () => (await limitOf(person, 'stopped')).running === 0);
    expect(jobs.started).toHaveLength(claimed);
    expect(claimed).toBeLessThan(200);
    await person.delete('/org/limits/stopped');
    await until('all to have run', () => jobs.started.length === 200 && jobs.running.size === 0);
  });

  it('a limit that is paused after another worker has become the dispatcher starts no job whose entry the former one added', async () => {
    const other = await createWorld();
    const redis = openRedis(other.redisUrl);
    let started = 0;
    let isFree = false;
    const flooded = defineHandler({
      type: 'flooded',
      async run() {
        // Those with an entry from their submission run first.
        if (++started > 200) await until('the jobs to be released', () => isFree);
      },
    });
    try {
      const person = await register((await other.api()).call);
      const catalogue = createCatalogue([flooded]);
      const isDispatching = async () => (await other.db.lease.count({ where: { name: 'feed' } })) === 1;
      const former = await other.alone.worker({ catalogue, queues: ['cpu'] });
      await until('it to dispatch', isDispatching);
      await other.alone.worker({ catalogue, queues: ['io'], concurrency: 10 });
      const flood = { jobs: Array.from({ length: 500 }, () => ({ type: 'flooded', payload: {} })) };
      expect((await person.post('/jobs/batch', flood)).status).toBe(202);
      await until('the slots to be used', () => started >= 209);
      const entries = async () => (await waitingEntries(redis, other.prefix)).length;
      const enqueued = await other.db.job.count({ where: { status: 'pending', place: 'enqueued' } });
      await until('waiting jobs to have entries', async () => (await entries()) > enqueued);
      await former.stop();
      await until('the other worker to dispatch', isDispatching);
      await put(person, 'stopped', { types: ['flooded'], paused: true });
      const before = await other.db.job.count({ where: { attempt: { gt: 0 } } });
      isFree = true;
      await until('no job to run', async () => (await other.db.job.count({ where: { status: 'processing' } })) === 0);
      await until('no entry to be left', async () => (await entries()) === 0);

      expect(started).toBe(before);
    } finally {
      isFree = true;
      await other.end();
      redis.disconnect();
    }
  });

  it('a retry of a job that no limit applied to waits for a limit that was paused meanwhile', async () => {
    const person = await register(api.call);
    jobs.isHeld = true;
    jobs.failing.add('retried:0');
    const id = await submit(person, 'retried:0', { max_retries: 1 });
    await until('it to run', () => jobs.running.has('retried:0'));
    await put(person, 'closed', { types: ['first'], paused: true });
    jobs.isHeld = false;
    await until('the retry to be held', async () => (await world.db.job.count({ where: { id, place: 'held' } })) === 1);
    await until('it to wait for the limit', async () => (await waitingFor(person, id)) === 'limit:closed');
    expect(jobs.started).toEqual(['retried:0']);
    await person.delete('/org/limits/closed');
    expect((await finishedJob(person, id)).job).toMatchObject({ status: 'done', retries: 1 });
  });

  it('a limit that is paused while its jobs run lets them end and starts none', async () => {
    const person = await register(api.call);
    await put(person, 'one', { types: ['first'], concurrency: 1 });
    jobs.isHeld = true;
    const ids = [await submit(person, 'p:0')];
    await until('the first to run', () => jobs.running.has('p:0'));
    ids.push(await submit(person, 'p:1'));
    expect((await person.patch('/org/limits/one', { paused: true })).body).toMatchObject({ running: 1, waiting: 1 });
    jobs.isHeld = false;
    expect((await finishedJob(person, ids[0] ?? '')).job.status).toBe('done');
    ids.push(await submit(person, 'p:2'));
    await until('no job to count as running', async () => (await limitOf(person, 'one')).running === 0);
    for (const id of ids.slice(1)) expect(await waitingFor(person, id)).toBe('limit:one');
    expect(jobs.started).toEqual(['p:0']);
    await person.patch('/org/limits/one', { paused: false });
    for (const id of ids.slice(1)) expect((await finishedJob(person, id)).job.status).toBe('done');
  });

  it('other types of a limit hold and free the jobs that wait', async () => {
    const person = await register(api.call);
    await put(person, 'closed', { types: ['first'], paused: true });
    const [first, second] = [await submit(person, 't:0'), await submit(person, 't:1', { limit: 'closed' }, 'second')];
    expect(await waitingFor(person, first)).toBe('limit:closed');
    await until('the dispatcher to wait for the limit', async () => {
      const [row] = await world.db.$queryRaw<[{ parked: number }]>`
        SELECT count(*)::int AS parked FROM limit_lanes WHERE org_id = ${person.orgId}::uuid AND parked_on = 'closed'`;
      return row.parked === 2;
    });
    await person.patch('/org/limits/closed', { types: ['third'] });
    expect((await finishedJob(person, first)).job.status).toBe('done');
    const third = await submit(person, 't:2', {}, 'third');
    for (const id of [second, third]) expect(await waitingFor(person, id)).toBe('limit:closed');
    await person.delete('/org/limits/closed');
    for (const id of [second, third]) expect((await finishedJob(person, id)).job.status).toBe('done');
  });

  it('the answers count running jobs, and waiting jobs that are due', async () => {
    const person = await register(api.call);
    const limit = { types: ['first'], per: 'key', concurrency: 1, ordered: true };
    await put(person, 'count', limit);
    jobs.isHeld = true;
    await submit(person, 'n:0');
    await until('the first to run', () => jobs.running.has('n:0'));
    const next = await submit(person, 'n:1');
    await submit(person, 'n:2', { run_at: new Date(Date.now() + 3_600_000).toISOString() });
    const counts = { running: 1, waiting: 1 };
    expect((await person.put('/org/limits/count', limit)).body).toMatchObject(counts);
    expect((await person.patch('/org/limits/count', { burst: 2, per_second: 2 })).body).toMatchObject(counts);
    expect(await limitOf(person, 'count')).toMatchObject(counts);
    jobs.isHeld = false;
    expect((await finishedJob(person, next)).job.status).toBe('done');
  });

  it('an order applies to jobs that wait already, whatever their priorities', async () => {
    // Without a worker, so that none of them starts before the order applies.
    const other = await createWorld();
    try {
      const person = await register((await other.api()).call);
      for (let n = 0; n < 5; n++) await submit(person, `w:${n}`, { key: 'k', priority: n });
      await other.db.$executeRaw`UPDATE live_jobs SET place = 'waiting'`;
      await put(person, 'lane', { types: ['first'], per: 'key', concurrency: 1, ordered: true });
      await other.worker({ catalogue: createCatalogue(jobs.handlers), queues: ['io'], concurrency: 20 });
      await until('all to run', () => jobs.started.length === 5);
      expect(jobs.started).toEqual(['w:0', 'w:1', 'w:2', 'w:3', 'w:4']);
    } finally {
      await other.end();
    }
  });

  it('a job that a limit holds can be changed: its time, its priority and its payload', async () => {
    const person = await register(api.call);
    await put(person, 'one', { concurrency: 1 });
    jobs.isHeld = true;
    await submit(person, 'c:first', { limit: 'one' });
    await until('the first to run', () => jobs.running.has('c:first'));
    const ids = [];
    for (const name of ['c:late', 'c:old', 'c:urgent']) ids.push(await submit(person, name, { limit: 'one' }));
    const [late = '', other = '', urgent = ''] = ids;
    const change = (id: string, body: object) => person.patch(`/jobs/${id}`, body);
    const putOff = await change(late, { run_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect([putOff.status, putOff.body.waiting_for]).toEqual([200, 'run_at']);
    expect((await change(urgent, { priority: 9 })).body.waiting_for).toBe('limit:one');
    expect((await change(other, { payload: { name: 'c:new' } })).status).toBe(200);
    jobs.isHeld = false;
    for (const id of [urgent, other]) expect((await finishedJob(person, id)).job.status).toBe('done');
    expect((await change(late, { run_at: null })).status).toBe(200);
    expect((await finishedJob(person, late)).job.status).toBe('done');

    expect(jobs.started).toEqual(['c:first', 'c:urgent', 'c:new', 'c:late']);
  });

  it('ordered: a job that is put off holds the later ones of its key until it is brought forward, at its place', async () => {
    const person = await register(api.call);
    await put(person, 'lane', { per: 'key', concurrency: 1, ordered: true });
    const more = { key: 'k', limit: 'lane' };
    jobs.isHeld = true;
    await submit(person, 'o:0', more);
    await until('it to run', () => jobs.running.has('o:0'));
    const next = await submit(person, 'o:1', more);
    const last = await submit(person, 'o:2', more);
    expect(
      (await person.patch(`/jobs/${next}`, { run_at: new Date(Date.now() + 3_600_000).toISOString() })).status,
    ).toBe(200);
    jobs.isHeld = false;
    await until('the first to end', () => !jobs.running.has('o:0'));
    expect(await waitingFor(person, last)).toBe('limit:lane');
    expect((await person.patch(`/jobs/${next}`, { run_at: null })).status).toBe(200);
    expect((await finishedJob(person, last)).job.status).toBe('done');

    expect(jobs.started).toEqual(['o:0', 'o:1', 'o:2']);
  });

  it('a job keeps the name of a deleted limit and counts under a new one of that name', async () => {
    const person = await register(api.call);
    await put(person, 'mine', { paused: true });
    const id = await submit(person, 'kept:0', { limit: 'mine' });
    jobs.isHeld = true;
    expect((await person.delete('/org/limits/mine')).status).toBe(204);
    await until('it to run', () => jobs.running.has('kept:0'));
    await put(person, 'mine', { concurrency: 1 });

    expect(await limitOf(person, 'mine')).toMatchObject({ running: 1, waiting: 0 });
    expect((await person.get(`/jobs/${id}`)).body.limit).toBe('mine');
    const next = await submit(person, 'kept:1', { limit: 'mine' });
    expect(await waitingFor(person, next)).toBe('limit:mine');
    jobs.isHeld = false;
    expect((await finishedJob(person, next)).job.status).toBe('done');
  });
});
