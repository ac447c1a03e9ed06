import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../api/support.js';
import {
  callsAs,
  createWorld,
  finishedJob,
  type Person,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';

const MAX_RUNNING = 4;
const MAX_WAITING = 6;

let world: World;
let api: TestApi;
const running = new Map<string, number>();
const peaks = new Map<string, number>();
let isHeld = true;

const held = defineHandler({
  type: 'held',
  async run(_payload, { orgId }) {
    const now = (running.get(orgId) ?? 0) + 1;
    running.set(orgId, now);
    peaks.set(orgId, Math.max(peaks.get(orgId) ?? 0, now));
    await until('the jobs to be released', () => !isHeld);
    running.set(orgId, (running.get(orgId) ?? 1) - 1);
  },
});

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ orgMaxWaiting: MAX_WAITING });
  const options = {
    catalogue: createCatalogue([held]),
    orgMaxRunning: MAX_RUNNING,
    queues: ['io'] as const,
    concurrency: 20,
  };
  for (let n = 0; n < 2; n++) await world.alone.worker(options);
  await until('the bound to be stored', () => world.db.operatorLimit.count());
});
afterAll(async () => {
  isHeld = false;
  await world.end();
});

const runningOf = ({ orgId }: Person) => running.get(orgId) ?? 0;
const waitingFor = async (person: Person, id: string) => (await person.get(`/jobs/${id}`)).body.waiting_for;

describe('ORG_MAX_RUNNING', () => {
  it('bounds the running jobs of each organization over all workers; the others wait and say so', async () => {
    isHeld = true;
    const people = [await register(api.call), await register(api.call)];
    const ids: [Person, string][] = [];
    for (const person of people) {
      for (let n = 0; n < MAX_RUNNING + 3; n++) {
        ids.push([person, await submitJob(person, 'held', {})]);
        if (n < MAX_RUNNING) await until('it to run', () => runningOf(person) === n + 1);
      }
    }
    for (const person of people) {
      const own = ids.filter(([who]) => who === person).map(([, id]) => id);
      expect(await waitingFor(person, own.at(-1) ?? '')).toBe('org_limit');
      expect(runningOf(person)).toBe(MAX_RUNNING);
    }
    isHeld = false;
    for (const [person, id] of ids) expect((await finishedJob(person, id)).job.status).toBe('done');

    expect([...peaks.values()]).toEqual([MAX_RUNNING, MAX_RUNNING]);
  });

  it("is named after the organization's own limits", async () => {
    isHeld = true;
    const person = await register(api.call);
    await person.put('/org/limits/own', { concurrency: MAX_RUNNING });
    for (let n = 0; n < MAX_RUNNING; n++) await submitJob(person, 'held', {}, { limit: 'own' });
    await until('all to run', () => runningOf(person) === MAX_RUNNING);

    const [own, other] = [await submitJob(person, 'held', {}, { limit: 'own' }), await submitJob(person, 'held', {})];
    expect([await waitingFor(person, own), await waitingFor(person, other)]).toEqual(['limit:own', 'org_limit']);
    isHeld = false;
    for (const id of [own, other]) expect((await finishedJob(person, id)).job.status).toBe('done');
  });
});

describe('ORG_MAX_WAITING', () => {
  const later = { run_at: new Date(Date.now() + 3_600_000).toISOString() };
  const job = (more = {}) => ({ type: 'held', payload: {}, ...later, ...more });

  it('is exact for submissions made one after another, and a batch is refused whole', async () => {
    const person = await register(api.call);
    for (let n = 0; n < MAX_WAITING - 1; n++) expect((await person.post('/jobs', job())).status).toBe(202);
    const batch = await person.post('/jobs/batch', { jobs: [job(), job()] });
    expectError(batch, 429, 'rate_limited');
    expect(batch.body.error.message).toContain(`has ${MAX_WAITING - 1} pending jobs, and may have ${MAX_WAITING}`);
    expect(batch.headers.get('retry-after')).toBe('5');
    const each = (jobs: object[]) => person.post('/jobs/batch?mode=each', { jobs });
    expectError(await each([job(), job()]), 429, 'rate_limited');
    const [last, invalid] = (await each([job({ id: 'last' }), job({ limit: 'unknown' })])).body.jobs;
    expect([last.status, invalid.error.code]).toEqual(['pending', 'validation_failed']);
    expectError(await person.post('/jobs', job()), 429, 'rate_limited');
    expect((await each([job({ id: 'last' })])).body.jobs).toEqual([{ id: 'last', status: 'pending' }]);

    expect(await world.db.job.count({ where: { orgId: person.orgId } })).toBe(MAX_WAITING);
    expect((await (await register(api.call)).post('/jobs', job())).status).toBe(202);
  });

  it('is exact through several processes, and after jobs have finished', async () => {
    const other = await world.alone.api({ orgMaxWaiting: MAX_WAITING });
    const person = await register(api.call);
    const there = callsAs(other.call, person.token);
    expect((await person.post('/jobs', job())).status).toBe(202);
    for (let n = 1; n < MAX_WAITING; n++) expect((await there.post('/jobs', job({ id: `n${n}` }))).status).toBe(202);
    expectError(await person.post('/jobs', job()), 429, 'rate_limited');

    for (let n = 1; n < MAX_WAITING; n++) expect((await person.post(`/jobs/n${n}/cancel`, {})).status).toBe(202);
    const batch = { jobs: Array.from({ length: MAX_WAITING - 1 }, () => job()) };
    expect((await there.post('/jobs/batch', batch)).status).toBe(202);
    expectError(await person.post('/jobs', job()), 429, 'rate_limited');
  });

  it('counts jobs that limits hold', async () => {
    const person = await register(api.call);
    await person.put('/org/limits/closed', { paused: true });
    for (let n = 0; n < MAX_WAITING; n++) await submitJob(person, 'held', {}, { limit: 'closed' });
    expectError(await person.post('/jobs', { type: 'held', payload: {} }), 429, 'rate_limited');
  });

  it('replays are answered, and invalid requests are reported, before it', async () => {
    const person = await register(api.call);
    const headers = { 'Idempotency-Key': 'operator-limits' };
    expect((await person.post('/jobs', job({ id: 'one' }))).status).toBe(202);
    expect((await person.post('/jobs', job(), { headers })).status).toBe(202);
    for (let n = 2; n < MAX_WAITING; n++) expect((await person.post('/jobs', job())).status).toBe(202);

    for (const replay of [
      await person.post('/jobs', job({ id: 'one' })),
      await person.post('/jobs', job(), { headers }),
    ]) {
      expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
    }
    expectError(await person.post('/jobs', job({ priority: 99 })), 400, 'validation_failed', ['priority']);
    expectError(await person.post('/jobs', job({ limit: 'unknown' })), 400, 'validation_failed', ['limit']);
    expectError(await person.post('/jobs', job()), 429, 'rate_limited');
  });

  it('a bulk rerun of more jobs than may wait fills the bound, and continues when jobs have started', async () => {
    isHeld = false;
    const person = await register(api.call);
    await person.put('/org/limits/valve', { concurrency: 10 });
    for (let n = 0; n < MAX_WAITING + 2; n++) {
      const id = await submitJob(person, 'held', {}, { limit: 'valve' });
      expect((await finishedJob(person, id)).job.status).toBe('done');
    }
    await person.put('/org/limits/valve', { paused: true });

    const started = await person.post('/jobs/bulk', { action: 'rerun', filter: { status: 'done' } });
    const bulk = async () => (await person.get(`/jobs/bulk/${started.body.id}`)).body;
    await until('the rerun to fill the bound', async () => (await bulk()).done === MAX_WAITING);
    expectError(await person.post('/jobs', job()), 429, 'rate_limited');
    await person.put('/org/limits/valve', { concurrency: 10 });
    await until('the rerun to finish', async () => (await bulk()).status !== 'running');

    expect(await bulk()).toMatchObject({ status: 'done', done: MAX_WAITING + 2, skipped: 0, failed: 0 });
  });

  it('holds for reruns, and not for retries', async () => {
    isHeld = false;
    const person = await register(api.call);
    const failed = await submitJob(person, 'no.handler', {});
    expect((await finishedJob(person, failed)).job.status).toBe('failed');
    for (let n = 0; n < MAX_WAITING; n++) expect((await person.post('/jobs', job())).status).toBe(202);

    expectError(await person.post(`/jobs/${failed}/rerun`), 429, 'rate_limited');
    expect((await person.post(`/jobs/${failed}/retry`)).status).toBe(202);
  });
});
