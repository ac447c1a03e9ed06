import { createCatalogue, defineHandler, PermanentError } from '@jobline/handlers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createWorld, finishedJob, type Person, register, submitJob, until, type World } from '../harness/index.js';

interface Step {
  name?: unknown;
  fails?: boolean;
  [field: string]: unknown;
}

let world: World;
let person: Person;
/** The payloads of the attempts, in their order. */
const runs: Step[] = [];
/** The names of the jobs that fail. */
const failing = new Set<unknown>();

const catalogue = createCatalogue([
  defineHandler<Step>({
    type: 'step',
    async run(payload) {
      runs.push(payload);
      if (failing.has(payload.name)) throw new PermanentError('broken');
      return { name: payload.name ?? null, total: { amount: 12.5 }, list: ['a', 'b'] };
    },
  }),
]);

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
  await world.worker({ catalogue });
});
afterAll(() => world.end());
beforeEach(() => {
  runs.length = 0;
  failing.clear();
});

const step = (id: string, more: object = {}, payload: Step = {}) => ({
  ...{ id, type: 'step', payload: { name: id, ...payload } },
  ...more,
});

async function submitBatch(...jobs: object[]): Promise<void> {
  const answer = await person.post('/jobs/batch', { jobs });
  expect(answer).toMatchObject({ status: 202 });
}

const namesOf = () => runs.map(({ name }) => name);
const jobOf = async (id: string) => (await person.get(`/jobs/${id}`)).body;

it('jobs of one batch start one after the other, in any order of the batch', async () => {
  await submitBatch(
    step('chain-3', { after: ['chain-2', { id: 'chain-1' }] }),
    step('chain-2', { after: ['chain-1'] }),
    step('chain-1'),
  );

  const { job } = await finishedJob(person, 'chain-3');
  expect(job).toMatchObject({
    status: 'done',
    after: [
      { id: 'chain-2', when: 'done', state: 'met' },
      { id: 'chain-1', when: 'done', state: 'met' },
    ],
  });
  expect(namesOf()).toEqual(['chain-1', 'chain-2', 'chain-3']);
});

it('a payload gets values of results, and is shown as it was submitted', async () => {
  const references = { all: { $from: 'source' }, amounts: [{ $from: 'source', path: '/total/amount' }, 1] };
  await submitBatch(step('source'), step('refers', { after: ['source'] }, references));

  const { job } = await finishedJob(person, 'refers');
  expect(job).toMatchObject({ status: 'done', payload: { name: 'refers', ...references } });
  expect(runs[1]).toEqual({
    name: 'refers',
    all: { name: 'source', total: { amount: 12.5 }, list: ['a', 'b'] },
    amounts: [12.5, 1],
  });
});

it('a missing value fails the job with invalid_payload, without a retry', async () => {
  await submitBatch(
    step('plain'),
    step('misses', { after: ['plain'], max_retries: 3 }, { deep: [{ $from: 'plain', path: '/none' }] }),
  );

  const { job, result, attempts } = await finishedJob(person, 'misses');
  expect(job.status).toBe('failed');
  expect(attempts).toHaveLength(1);
  expect(result.error).toEqual({
    code: 'invalid_payload',
    message: 'payload.deep[0]: the result of job "plain" has no value at "/none"',
  });
});

it('a job waits for several jobs, and says for which', async () => {
  const in1h = new Date(Date.now() + 3_600_000).toISOString();
  await submitBatch(step('late', { run_at: in1h }), step('soon'), step('both', { after: ['soon', 'late'] }));
  await finishedJob(person, 'soon');

  expect(await jobOf('both')).toMatchObject({
    status: 'pending',
    waiting_for: 'job:late',
    after: [{ state: 'met' }, { state: 'waiting' }],
  });
  expect((await person.get('/jobs?after=late')).body).toMatchObject([{ id: 'both' }]);
  expect(await person.patch('/jobs/late', { run_at: null })).toMatchObject({ status: 200 });
  expect((await finishedJob(person, 'both')).job.status).toBe('done');
});

it('what waits for a failed job fails without an attempt, and a retry of that job brings all of it back', async () => {
  failing.add('root');
  await submitBatch(
    step('root'),
    step('child', { after: ['root'] }),
    step('grandchild', { after: ['child'] }),
    step('whatever', { after: [{ id: 'root', when: 'ended' }] }),
  );

  const { job, result, attempts } = await finishedJob(person, 'grandchild');
  expect(job.status).toBe('failed');
  expect(attempts).toEqual([]);
  expect(result.error).toEqual({
    code: 'dependency_failed',
    message: 'the job "child", for which this job waited, did not meet its condition',
  });
  expect((await finishedJob(person, 'whatever')).job.status).toBe('done');
  expect(await person.post('/jobs/grandchild/retry')).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('retry "child"') } },
  });

  failing.clear();
  runs.length = 0;
  expect(await person.post('/jobs/root/retry')).toMatchObject({ status: 202 });
  await until('all to be done', async () => (await jobOf('grandchild')).status === 'done');
  expect(namesOf()).toEqual(['root', 'child', 'grandchild']);
});

it('a job that names a job that has ended starts or fails at once', async () => {
  failing.add('ended-badly');
  await finishedJob(person, await submitJob(person, 'step', { name: 'ended-badly' }, { id: 'ended-badly' }));

  const { job } = await finishedJob(
    person,
    await submitJob(person, 'step', {}, { id: 'too-late', after: ['ended-badly'] }),
  );
  expect(job.status).toBe('failed');
  const other = { id: 'in-time', after: [{ id: 'ended-badly', when: 'ended' }] };
  expect((await finishedJob(person, await submitJob(person, 'step', {}, other))).job.status).toBe('done');
});

it('a job that an unfinished job needs cannot be deleted, and a blocked job can be canceled', async () => {
  const in1h = new Date(Date.now() + 3_600_000).toISOString();
  await submitBatch(
    step('needed'),
    step('needs', { after: ['needed'], run_at: in1h }, { from: { $from: 'needed' } }),
    step('canceled', { after: ['needs'] }),
  );
  await finishedJob(person, 'needed');
  expect(await person.delete('/jobs/needed')).toMatchObject({ status: 409 });

  expect(await person.post('/jobs/canceled/cancel')).toMatchObject({ status: 202, body: { status: 'failed' } });
  expect(await person.post('/jobs/needs/cancel')).toMatchObject({ status: 202, body: { status: 'failed' } });
  expect(await person.delete('/jobs/needed')).toMatchObject({ status: 204 });
  expect(await person.post('/jobs/needs/retry')).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('"needed", which does not exist any more') } },
  });
});

it('a rerun gets the values again', async () => {
  await submitBatch(step('first'), step('again', { after: ['first'] }, { from: { $from: 'first', path: '/name' } }));
  await finishedJob(person, 'again');
  runs.length = 0;

  const { body } = await person.post('/jobs/again/rerun');
  expect((await finishedJob(person, body.id)).job.status).toBe('done');
  expect(runs).toEqual([{ name: 'again', from: 'first' }]);
});

it.each([
  ['an unknown id', [step('a', { after: ['unknown'] })], 'jobs[0].after[0]'],
  [
    'a cycle',
    [step('a', { after: ['b'] }), step('b', { after: ['c'] }), step('c', { after: ['a'] })],
    'jobs[0].after[0]',
  ],
  ['itself', [step('a', { after: ['a'] })], 'jobs[0].after[0]'],
  ['an id twice', [step('x'), step('a', { after: ['x', { id: 'x' }] })], 'jobs[1].after[1]'],
  ['a payment of another type', [step('x'), step('a', { after: [{ id: 'x', when: 'paid' }] })], 'jobs[1].after[0]'],
  ['an empty list', [step('a', { after: [] })], 'jobs[0].after'],
  [
    'a reference to another job',
    [step('x'), step('a', { after: ['x'] }, { v: { $from: 'y' } })],
    'jobs[1].payload.v.$from',
  ],
  [
    'a bad pointer',
    [step('x'), step('a', { after: ['x'] }, { v: { $from: 'x', path: 'v' } })],
    'jobs[1].payload.v.path',
  ],
])('a batch with %s is refused', async (_what, jobs, path) => {
  const answer = await person.post('/jobs/batch', { jobs });

  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'validation_failed' } } });
  expect(answer.body.error.details[0].path).toBe(path);
});
