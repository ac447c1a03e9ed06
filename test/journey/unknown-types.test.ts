import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
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
let person: Person;
beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  await world.alone.worker({ catalogue: createCatalogue([]) });
});
beforeEach(async () => {
  person = await register(api.call);
});
afterAll(() => world.end());

const choose = async (choice: string) => {
  const { status, body } = await person.patch('/org/settings', { unknown_types: choice });
  expect([status, body.unknown_types]).toEqual([200, choice]);
};

const startWorker = (type: string, queue: 'io' | 'cpu' = 'io') =>
  world.alone.worker({ catalogue: createCatalogue([defineHandler({ type, queue, run: async () => type })]) });

const parked = (type: string) => world.db.liveJob.count({ where: { type, queue: `?${type}`, status: 'pending' } });

it('the setting is shown once it was set, and other values are rejected', async () => {
  expect((await person.get('/org/settings')).body).not.toHaveProperty('unknown_types');
  for (const choice of ['wait', 'fail']) await choose(choice);
  expect((await person.patch('/org/settings', { unknown_types: 'ignore' })).body.error.details).toMatchObject([
    { path: 'unknown_types' },
  ]);
  const id = await submitJob(person, 'never', {});
  expect((await finishedJob(person, id)).result.error.code).toBe('no_handler');
});

it('a job of a type that no worker ever had waits for the first worker that has it, and no queue has its entry', async () => {
  await choose('wait');
  await person.put('/org/limits/two', { types: ['later-limited'], concurrency: 2 });
  const jobs = ['later', 'later', 'later', 'later-limited', 'later-limited'].map((type) => ({ type, payload: {} }));
  const { body } = await person.post('/jobs/batch', {
    jobs: [...jobs, { type: 'later', payload: {}, expires_at: soon() }],
  });
  const expired = body.jobs.pop().id;
  const changed = body.jobs[0].id;
  await until('all to be parked', async () => (await parked('later')) + (await parked('later-limited')) === 6);
  await world.db.$executeRaw`UPDATE live_jobs SET expires_at = now() WHERE id = ${expired}`;
  expect((await finishedJob(person, expired)).result.error.code).toBe('expired');
  expect((await person.patch(`/jobs/${changed}`, { priority: 3 })).status).toBe(200);
  const [canceled] = (await person.post('/jobs/batch', { jobs: [{ type: 'later', payload: {} }] })).body.jobs;
  await until('it to be parked', async () => (await parked('later')) === 4);
  expect((await person.post(`/jobs/${canceled.id}/cancel`)).status).toBe(202);
  expect((await finishedJob(person, canceled.id)).result.error.code).toBe('canceled');
  // Jobs of other types run meanwhile.
  await startWorker('known');
  expect((await finishedJob(person, await submitJob(person, 'known', {}))).job.status).toBe('done');
  expect((await parked('later')) + (await parked('later-limited'))).toBe(5);

  await startWorker('later', 'cpu');
  await startWorker('later-limited');
  for (const { id } of body.jobs) {
    const { job, attempts } = await finishedJob(person, id);
    expect([job.status, attempts.length]).toEqual(['done', 1]);
  }
});

it('rejected types are a 400 at every submission, and replays are answered', async () => {
  const first = { id: 'order-1', type: 'typo', payload: {} };
  expect((await person.post('/jobs', first)).status).toBe(202);
  await choose('reject');
  expect((await person.post('/jobs', first)).status).toBe(202);

  const message = '"type" is a job type that no worker has ever had: typo';
  const job = { type: 'typo', payload: {} };
  const issuesOf = async (path: string, body: object) => {
    const answer = await person.post(path, body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_failed']);
    return answer.body.error.details;
  };
  expect(await issuesOf('/jobs', job)).toEqual([{ path: 'type', message }]);
  expect(await issuesOf('/jobs/batch', { jobs: [first, job] })).toEqual([{ path: 'jobs[1].type', message }]);
  expect(await issuesOf('/schedules', { name: 'nightly', cron: '0 3 * * *', ...job })).toEqual([
    { path: 'type', message },
  ]);
  const each = (await person.post('/jobs/batch?mode=each', { jobs: [first, job] })).body.jobs;
  expect(each).toMatchObject([
    { id: 'order-1' },
    { error: { code: 'validation_failed', details: [{ path: 'type' }] } },
  ]);
  // Built-in types are known, and so is every type from the moment in which a worker has it.
  expect(
    (
      await person.post('/jobs', {
        type: 'webhook',
        payload: { url: 'https://example.com', payload: {} },
        run_at: soon(),
      })
    ).status,
  ).toBe(202);
  await startWorker('typo');
  expect((await finishedJob(person, await submitJob(person, 'typo', {}))).job.status).toBe('done');
});

const soon = () => new Date(Date.now() + 3_600_000).toISOString();
