import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  keysLike,
  linesOf,
  openRedis,
  type Person,
  register,
  runToEnd,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { addMember, expectError, newKey } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;
let redis: ReturnType<typeof openRedis>;

const catalogue = createCatalogue([
  defineHandler({ type: 'good', run: async () => 'fine' }),
  defineHandler({
    type: 'bad',
    async run() {
      throw new Error('it broke');
    },
  }),
]);
/** A job of a type that the worker has, due only later. */
const later = { run_at: new Date(Date.now() + 3_600_000).toISOString() };

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
  redis = openRedis(world.redisUrl);
});
afterAll(async () => {
  redis.disconnect();
  await world.end();
});

const cancel = (id: string, who = person) => who.post(`/jobs/${id}/cancel`);
const entriesOf = (key: string) => keysLike(redis, `{${world.prefix}-io}:io:${key}-*`);

describe('POST /jobs/{id}/cancel of a job that has not started', () => {
  it('fails it immediately: status, result and log say why', async () => {
    const id = await submitJob(person, 'good', {}, { ...later, max_retries: 3 });

    const answer = await cancel(id);

    expect([answer.status, answer.body]).toEqual([202, { id, status: 'failed' }]);
    const story = await finishedJob(person, id);
    expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
    expect(story.result).toMatchObject({
      status: 'failed',
      result: null,
      error: { code: 'canceled', message: 'the job was canceled' },
      started_at: null,
      finished_at: story.job.updated_at,
      duration_ms: null,
    });
    expect(linesOf(story)).toEqual(['1 warn the job was canceled']);
  });

  it('removes its entry from the queue', async () => {
    const id = await submitJob(person, 'good', {});
    const { key } = await world.db.job.findFirstOrThrow({ where: { id } });
    await until('its entry', async () => (await entriesOf(key)).length === 1);

    expect((await cancel(id)).body.status).toBe('failed');

    await until('its entry to be removed', async () => (await entriesOf(key)).length === 0);
  });

  it('answers one of fifty simultaneous requests with 202, and the others that the job has finished', async () => {
    const id = await submitJob(person, 'good', {}, later);

    const answers = await Promise.all(Array.from({ length: 50 }, () => cancel(id)));

    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 202)) expectError(answer, 409, 'conflict');
    expect((await finishedJob(person, id)).logs).toHaveLength(1);
  });

  it('is allowed for members and API keys', async () => {
    const member = await addMember(world, api, person.orgId, 'member');
    const { key } = await newKey(person);

    expect((await cancel(await submitJob(person, 'good', {}, later), member)).status).toBe(202);
    const id = await submitJob(person, 'good', {}, later);
    expect((await api.call('POST', `/jobs/${id}/cancel`, { key })).status).toBe(202);
  });
});

describe('POST /jobs/{id}/cancel', () => {
  it.each([
    ['done', 'good'],
    ['failed', 'bad'],
  ])('is a 409 for a job that is %s, which does not change', async (status, type) => {
    const worker = await world.worker({ catalogue });
    const before = await runToEnd(person, type, {});
    expect(before.job.status).toBe(status);

    expectError(await cancel(before.job.id), 409, 'conflict');

    expect(await finishedJob(person, before.job.id)).toEqual(before);
    await worker.stop();
  });
});
