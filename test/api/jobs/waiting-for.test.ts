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
} from '../../harness/index.js';
import { createNamedJobs } from '../../journey/named-jobs.js';

let world: World;
let api: TestApi;
const jobs = createNamedJobs(['named']);
const rare = defineHandler({ type: 'rare', run: async () => null });
const HOUR_MS = 3_600_000;
/** Long enough that no retry starts during the tests. */
const RETRY_BASE_MS = 600_000;

beforeAll(async () => {
  world = await createWorld();
  api = await world.alone.api();
});
afterEach(() => jobs.reset());
afterAll(() => world.end());

const inAnHour = () => new Date(Date.now() + HOUR_MS).toISOString();
const reasonOf = async (person: Person, id: string) => (await person.get(`/jobs/${id}`)).body.waiting_for;

describe('without a worker', () => {
  it('a job waits for a worker, or for its time', async () => {
    const person = await register(api.call);
    expect(await reasonOf(person, await submitJob(person, 'named', { name: '1' }))).toBe('worker');
    expect(await reasonOf(person, await submitJob(person, 'named', { name: '2' }, { run_at: inAnHour() }))).toBe(
      'run_at',
    );
  });

  it('a job with several reasons names its time, then the first limit by name, then a worker', async () => {
    const person = await register(api.call);
    for (const name of ['b', 'a']) await person.put(`/org/limits/${name}`, { types: ['named'], paused: true });
    const id = await submitJob(person, 'named', { name: '1' }, { run_at: inAnHour() });
    expect(await reasonOf(person, id)).toBe('run_at');
    expect((await person.patch(`/jobs/${id}`, { run_at: null })).body.waiting_for).toBe('limit:a');
    await person.delete('/org/limits/a');
    expect(await reasonOf(person, id)).toBe('limit:b');
    await person.delete('/org/limits/b');
    expect(await reasonOf(person, id)).toBe('worker');
  });
});

describe('with a worker of one slot', () => {
  beforeAll(() =>
    world.alone.worker({
      catalogue: createCatalogue(jobs.handlers),
      concurrency: 1,
      queues: ['io'],
      retryBaseMs: RETRY_BASE_MS,
    }),
  );

  it('a job waits for the queue; a running or finished job waits for nothing', async () => {
    await until('the jobs of the other tests to end', () =>
      world.db.liveJob.count({ where: { runAt: { lte: new Date() } } }).then((n) => n === 0),
    );
    await jobs.reset();
    const person = await register(api.call);
    jobs.isHeld = true;
    const first = await submitJob(person, 'named', { name: 'q:1' });
    await until('it to run', () => jobs.running.has('q:1'));
    const second = await submitJob(person, 'named', { name: 'q:2' });
    expect(await reasonOf(person, second)).toBe('queue');
    expect((await person.get(`/jobs/${first}`)).body).not.toHaveProperty('waiting_for');
    jobs.isHeld = false;
    for (const id of [first, second]) expect((await finishedJob(person, id)).job).not.toHaveProperty('waiting_for');
  });

  it('a job whose handler no live worker has waits for a worker, although slots of its queue are free', async () => {
    const away = await world.alone.worker({ catalogue: createCatalogue([rare]), queues: ['io'] });
    await away.stop();
    const person = await register(api.call);
    const id = await submitJob(person, 'rare', {});
    expect(await reasonOf(person, id)).toBe('worker');
    await world.alone.worker({ catalogue: createCatalogue([rare]), queues: ['io'] });
    expect((await finishedJob(person, id)).job.status).toBe('done');
  });

  it('a failed attempt waits for its retry; a job that is retried by hand and put off waits for its time', async () => {
    const person = await register(api.call);
    jobs.failing.add('r:1');
    const id = await submitJob(person, 'named', { name: 'r:1' }, { max_retries: 1 });
    await until('it to wait for its retry', async () => (await reasonOf(person, id)) === 'retry');
    await person.post(`/jobs/${id}/cancel`, {});
    await person.put('/org/limits/closed', { types: ['named'], paused: true });
    expect((await person.post(`/jobs/${id}/retry`, {})).status).toBe(202);
    expect(await reasonOf(person, id)).toBe('limit:closed');
    expect((await person.patch(`/jobs/${id}`, { run_at: inAnHour() })).body.waiting_for).toBe('run_at');
  });

  it('a job that is about to start waits for nothing', async () => {
    const person = await register(api.call);
    await until('the slot to be free', () =>
      world.db.liveJob.count({ where: { status: 'processing' } }).then((n) => n === 0),
    );
    const id = await submitJob(person, 'named', { name: 'n:1' }, { run_at: inAnHour() });
    // Due, but not dispatched yet: nothing has noticed the changed row.
    await world.db.$executeRaw`UPDATE live_jobs SET run_at = now(), place = 'enqueued' WHERE id = ${id}`;
    expect(await reasonOf(person, id)).toBeNull();
  });
});
