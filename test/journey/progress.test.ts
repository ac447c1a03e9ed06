import type { JobKey } from '@jobline/contracts';
import { redactJobs } from '@jobline/db/job-transitions';
import { createCatalogue, defineHandler, type RunContext } from '@jobline/handlers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  readEvents,
  register,
  type ServerEvent,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let api: TestApi;
let person: Person;

/** The attempts that run, by the id that their payload names: a test decides what each does. */
const running = new Map<string, { ctx: RunContext; end(error?: Error): void }>();

const reporting = defineHandler<{ name: string }>({
  type: 'reporting',
  run: ({ name }, ctx) =>
    new Promise((resolve, reject) => {
      running.set(name, { ctx, end: (error) => (error ? reject(error) : resolve(null)) });
    }),
});

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
  await world.worker({ catalogue: createCatalogue([reporting]) });
});
afterAll(() => world.end());

async function start(name: string, more: object = {}): Promise<string> {
  return submitJob(person, 'reporting', { name }, { id: name, ...more });
}

/** The attempt that runs now under this name, once it has begun. */
async function attemptOf(name: string) {
  const attempt = await until(`an attempt of ${name}`, () => running.get(name));
  running.delete(name);
  return attempt;
}

const progressOf = async (id: string) => (await person.get(`/jobs/${id}`)).body.progress;
const shown = (percent: number, text: string | null) => ({ percent, text, at: expect.stringMatching(/^\d{4}-.*Z$/) });
/** The progress in the status events, each once. */
const reportedIn = (events: readonly ServerEvent[], id: string) => [
  ...new Set(
    events.flatMap(({ name, data }) =>
      name === 'status' && data.id === id && data.progress ? [data.progress.percent] : [],
    ),
  ),
];

it('the latest progress is in the detail and in the streams while the job runs, and the last one in the detail after its end', async () => {
  const all = await readEvents(`${api.url}/jobs/events`, person);
  const id = await start('steps');
  const { ctx, end } = await attemptOf('steps');
  const own = await readEvents(`${api.url}/jobs/${id}/events`, person);
  expect(await progressOf(id)).toBeUndefined();

  ctx.progress(12.5, 'reading');
  await until('the first progress', async () => (await progressOf(id)) !== undefined);
  expect(await progressOf(id)).toEqual(shown(12.5, 'reading'));
  for (const { events } of [own, all]) await until('an event', () => reportedIn(events, id).includes(12.5));
  const late = await readEvents(`${api.url}/jobs/${id}/events`, person);
  expect(late.events[0]).toMatchObject({
    name: 'status',
    data: { status: 'processing', progress: shown(12.5, 'reading') },
  });

  for (let n = 20; n <= 60; n++) ctx.progress(n);
  await until('the latest progress', async () => (await progressOf(id)).percent === 60);
  for (const { events } of [own, all]) {
    await until('an event', () => reportedIn(events, id).includes(60));
    expect(reportedIn(events, id)).toEqual([12.5, 60]);
  }
  ctx.progress(100, 'done');
  end();
  await finishedJob(person, id);
  await until('the last progress', async () => (await progressOf(id)).percent === 100);
  expect((await person.get(`/jobs?type=reporting`)).body[0]).not.toHaveProperty('progress');

  for (const reader of [own, all, late]) {
    await until('the last event', () =>
      reader.events.some(({ name, data }) => name === 'status' && data.status === 'done'),
    );
    await reader.close();
  }
});

it('an invalid progress throws in the handler, and a new attempt begins without progress', async () => {
  const id = await start('again', { max_retries: 1 });
  const first = await attemptOf('again');
  expect(() => first.ctx.progress(101)).toThrow('progress must be a number from 0 to 100');
  first.ctx.progress(40);
  await until('the progress', async () => (await progressOf(id))?.percent === 40);
  first.end(new Error('not now'));

  const second = await attemptOf('again');
  first.ctx.progress(41);
  expect(await progressOf(id)).toBeUndefined();
  second.ctx.progress(10);
  await until('the progress of the second attempt', async () => (await progressOf(id))?.percent === 10);
  second.end();
  await finishedJob(person, id);
});

it('the progress of a redacted job is hidden at once, and deleted with the values of its payload, as with the job', async () => {
  const id = await start('redacted');
  const { ctx, end } = await attemptOf('redacted');
  ctx.progress(1, 'the card 1234');
  await until('the progress', async () => (await progressOf(id)) !== undefined);
  end();
  await finishedJob(person, id);
  await person.patch('/org/settings', { redact: { payload_keys: ['name'], after_days: 0 } });

  expect(await progressOf(id)).toBeUndefined();
  const job = await world.db.job.findFirstOrThrow({ where: { id } });
  // The casts: a finished job, by its key.
  const due = { key: job.key as JobKey, finishedAt: job.finishedAt as Date, payload: '{"name":"[redacted]"}' };
  const count = (jobKey: string) => world.db.jobProgress.count({ where: { jobKey } });
  expect(await count(job.key)).toBe(1);
  await redactJobs(world.db, ['name'], [due]);
  expect(await count(job.key)).toBe(0);
  await person.patch('/org/settings', { redact: { payload_keys: [] } });

  const steps = await world.db.job.findFirstOrThrow({ where: { id: 'steps' } });
  expect(await count(steps.key)).toBe(1);
  await person.delete('/jobs/steps');
  await until('the progress of a deleted job to be deleted', async () => (await count(steps.key)) === 0);
});
