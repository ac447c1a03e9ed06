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
