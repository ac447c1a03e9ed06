import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createWorld, finishedJob, type Person, register, type TestApi, type World } from '../../harness/index.js';

let world: World;
let api: TestApi;
let person: Person;

const catalogue = createCatalogue([
  defineHandler<{ submits?: boolean }>({
    type: 'step',
    async run({ submits }, { submit, job }) {
      if (submits) await submit('step', {}, { id: 'submitted', after: [job.id] });
    },
  }),
]);

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  await world.worker({ catalogue });
});
beforeEach(async () => {
  person = await register(api.call);
});
afterAll(() => world.end());

const IN_1H = new Date(Date.now() + 3_600_000).toISOString();
const later = (id: string, more: object = {}) => ({ id, type: 'step', payload: {}, run_at: IN_1H, ...more });

/** The paths of the issues of each job, or null if it was accepted. */
async function pathsOf(jobs: object[]): Promise<(string[] | null)[]> {
  const { status, body } = await person.post('/jobs/batch?mode=each', { jobs });
  expect(status).toBe(200);
  return body.jobs.map(({ error }: { error?: { details?: { path: string }[] } }) =>
    error ? (error.details ?? []).map(({ path }) => path) : null,
  );
}

it('with mode=each, what waits for a rejected job is rejected', async () => {
  expect(
    await pathsOf([
      later('fine'),
      later('bad', { type: 'no spaces' }),
      later('second', { after: ['fine', 'bad'] }),
      later('third', { after: ['second'] }),
      later('fourth', { after: ['fine'] }),
    ]),
  ).toEqual([null, ['type'], ['after[1]'], ['after[0]'], null]);
});

it('with mode=each, a whole chain is rejected with its last job', async () => {
  const chain = Array.from({ length: 1_000 }, (_, n) => later(`link-${n}`, { after: [`link-${n + 1}`] }));

  expect(await pathsOf(chain)).toEqual(chain.map(() => ['after[0]']));
});

it('with mode=each, what waits for a job whose id is taken is rejected', async () => {
  await person.post('/jobs', later('taken'));

  expect(await pathsOf([later('taken', { priority: 1 }), later('waits', { after: ['taken'] })])).toEqual([
    ['id'],
    ['after[0]'],
  ]);
});

it('a job of another organization, or of a type that the key may not see, is unknown', async () => {
  const other = await register(api.call);
  await other.post('/jobs', later('foreign'));
  await person.post('/jobs', later('hidden', { type: 'secret' }));
  const { body: key } = await person.post('/org/api-keys', {
    name: 'steps',
    scopes: ['jobs:read', 'jobs:write'],
    types: ['step'],
  });
  const withKey = (after: string[]) => api.call('POST', '/jobs', { key: key.key, body: later('waits', { after }) });

  for (const id of ['foreign', 'hidden']) {
    const answer = await withKey([id]);
    expect(answer).toMatchObject({ status: 400, body: { error: { details: [{ path: 'after[0]' }] } } });
  }
});

it('the short and the long form of a condition are the same content', async () => {
  await person.post('/jobs', later('one'));
  const first = await person.post('/jobs', later('two', { after: ['one'] }));
  expect(first.status).toBe(202);

  const repeated = await person.post('/jobs', later('two', { after: [{ id: 'one', when: 'done' }] }));
  expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  expect(await person.post('/jobs', later('two', { after: [{ id: 'one', when: 'ended' }] }))).toMatchObject({
    status: 409,
  });
  await person.post('/jobs/one/cancel');
  await person.delete('/jobs/one');
  const answer = await person.post('/jobs', later('two', { after: ['one'] }));
  expect(answer.headers.get('idempotent-replayed')).toBe('true');
});

it('the jobs of a batch wait for at most 5,000 jobs together', async () => {
  const after = Array.from({ length: 20 }, (_, n) => `other-${n}`);
  const { status, body } = await person.post('/jobs/batch', {
    jobs: Array.from({ length: 251 }, (_, n) => later(`many-${n}`, { after })),
  });

  expect(status).toBe(400);
  expect(body.error.details).toMatchObject([{ path: 'jobs' }]);
});

it('a job may wait for the running job that submits it', async () => {
  await person.post('/jobs', { id: 'submits', type: 'step', payload: { submits: true } });

  expect((await finishedJob(person, 'submitted')).job).toMatchObject({
    status: 'done',
    after: [{ id: 'submits', when: 'done', state: 'met' }],
  });
});

it('a changed payload may refer to the jobs of after, and only to them', async () => {
  await person.post('/jobs/batch', { jobs: [later('source'), later('waits', { after: ['source'] })] });

  const change = (from: string) => person.patch('/jobs/waits', { payload: { value: { $from: from } } });
  expect(await change('other')).toMatchObject({ status: 400 });
  expect(await change('source')).toMatchObject({ status: 200, body: { waiting_for: 'job:source' } });
  await person.patch('/jobs/waits', { run_at: null, priority: 9 });
  expect((await person.get('/jobs/waits')).body).toMatchObject({ status: 'pending', waiting_for: 'job:source' });
});
