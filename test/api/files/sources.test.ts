import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  type Person,
  register,
  submitJob,
  type TestApi,
  until,
  uploadFile,
  type World,
} from '../../harness/index.js';
import { expectError } from '../support.js';

const DAY_MS = 24 * 3_600_000;

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterAll(() => world.end());

describe('a file that an unfinished job takes bytes from', () => {
  const image = (file: string) => ({ type: 'compress_image', payload: { source: { file } } });
  const later = () => ({ run_at: new Date(Date.now() + DAY_MS).toISOString() });

  it('cannot be deleted until the job has finished', async () => {
    const file = await uploadFile(person, randomBytes(5));
    const id = await submitJob(person, 'compress_image', { source: { file } }, later());

    const refused = await person.delete(`/files/${file}`);
    expectError(refused, 409, 'conflict');
    expect(refused.body.error.message).toContain(id);
    expect((await person.get(`/files/${file}`)).status).toBe(200);

    await person.post(`/jobs/${id}/cancel`);
    expect((await person.delete(`/files/${file}`)).status).toBe(204);
    expect(await world.db.jobSource.count({ where: { source: `file:${file}` } })).toBe(0);
  });

  it('is kept and can be read after its time', async () => {
    const file = await uploadFile(person, randomBytes(5));
    const id = await submitJob(person, 'compress_image', { source: { file } }, later());
    await world.db.file.update({ where: { id: file }, data: { expiresAt: new Date(Date.now() - 1_000) } });

    expect((await person.get(`/files/${file}`)).status).toBe(200);
    expectError(await person.delete(`/files/${file}`), 409, 'conflict');
    await person.post(`/jobs/${id}/cancel`);
    expectError(await person.get(`/files/${file}`), 404, 'not_found');
  });

  it('is that of its present payload', async () => {
    const [first, second] = [await uploadFile(person, randomBytes(5)), await uploadFile(person, randomBytes(5))];
    const id = await submitJob(person, 'compress_image', { source: { file: first } }, later());

    const unknown = { payload: { source: { file: '00000000-0000-7000-8000-000000000000' } } };
    expectError(await person.patch(`/jobs/${id}`, unknown), 400, 'validation_failed', ['payload.source']);
    expect((await person.patch(`/jobs/${id}`, { payload: { source: { file: second } } })).status).toBe(200);

    expect((await person.delete(`/files/${first}`)).status).toBe(204);
    expectError(await person.delete(`/files/${second}`), 409, 'conflict');
    await person.patch(`/jobs/${id}`, { payload: { url: 'https://example.com/a.png' } });
    expect((await person.delete(`/files/${second}`)).status).toBe(204);
  });

  it('holds for the jobs of a batch, of a schedule and of a rerun', async () => {
    const file = await uploadFile(person, randomBytes(5));
    const uses = () => world.db.jobSource.count({ where: { source: `file:${file}` } });
    const batch = await person.post('/jobs/batch', { jobs: [{ ...image(file), ...later() }, image(file)] });
    const [, { id }] = batch.body.jobs;
    expect(await uses()).toBe(2);
    const schedule = { name: file, cron: '@daily', ...image(file) };
    const made = await person.post('/schedules', schedule);
    expect(made.status, made.text).toBe(201);
    const ran = await person.post(`/schedules/${made.body.id}/run`);
    expect(ran.status, ran.text).toBe(202);
    expect(await uses()).toBe(3);
    await person.post(`/jobs/${id}/cancel`);
    expect(await uses()).toBe(2);
    await person.post(`/jobs/${id}/rerun`);
    expect(await uses()).toBe(3);
    await person.post(`/jobs/${id}/retry`);
    expect(await uses()).toBe(4);
  });
});

it('a job whose file is gone cannot run again, and the answers name the file', async () => {
  const file = await uploadFile(person, randomBytes(5));
  const id = await submitJob(person, 'compress_image', { source: { file } });
  await person.post(`/jobs/${id}/cancel`);
  await person.delete(`/files/${file}`);

  for (const action of ['retry', 'rerun']) {
    const answer = await person.post(`/jobs/${id}/${action}`);
    expectError(answer, 409, 'conflict');
    expect(answer.body.error.message).toContain(file);
  }
  const other = { payload: { url: 'https://example.com/a.png' } };
  expect((await person.post(`/jobs/${id}/rerun`, other)).status).toBe(202);
  for (const action of ['retry', 'rerun']) {
    const { body } = await person.post('/jobs/bulk', { action, filter: { ids: [id] } });
    const ended = await until('the bulk action to end', async () => {
      const bulk = (await person.get(`/jobs/bulk/${body.id}`)).body;
      return bulk.status === 'done' && bulk;
    });
    expect(ended).toMatchObject({ total: 1, done: 0, skipped: 1 });
  }
});

it('a replay of a submission is answered although its file is gone', async () => {
  const file = await uploadFile(person, randomBytes(5));
  const job = { type: 'compress_image', payload: { source: { file } }, id: `replayed-${file}` };
  const headers = { 'Idempotency-Key': file };
  await person.post('/jobs', job, { headers });
  await person.post(`/jobs/${job.id}/cancel`);
  await person.delete(`/files/${file}`);

  for (const answer of [await person.post('/jobs', job), await person.post('/jobs', job, { headers })]) {
    expect(answer.status, answer.text).toBe(202);
    expect(answer.body).toEqual({ id: job.id, status: 'failed' });
  }
});

describe('a source in a payload', () => {
  it.each([
    [{}, ['payload.source.job']],
    [{ file: 7 }, ['payload.source.file']],
    [{ job: 'a/b' }, ['payload.source.job']],
    [{ artifact: 'a' }, ['payload.source.artifact', 'payload.source.job']],
    [{ job: 'a', more: 1 }, ['payload.source.more']],
    ['a', ['payload.source']],
  ])('is rejected if it is %j', async (source, paths) => {
    const answer = await person.post('/jobs', { type: 'compress_image', payload: { source } });
    expectError(answer, 400, 'validation_failed', paths);
  });

  it('is rejected together with a URL, and one of both is required', async () => {
    const post = (payload: object) => person.post('/jobs', { type: 'compress_image', payload });
    const url = 'https://example.com/a.png';
    expectError(await post({ url, source: { job: 'a' } }), 400, 'validation_failed', ['payload.url']);
    expectError(await post({}), 400, 'validation_failed', ['payload.url']);
  });

  it('names its path in a batch, in every mode, and in the spelling of the caller', async () => {
    const source = { job: 'no-such-job' };
    const good = { type: 'walk', payload: {} };
    const capitalized = { Type: 'compress_image', Payload: { source } };
    expectError(await person.post('/jobs', capitalized), 400, 'validation_failed', ['Payload.source']);
    const jobs = [good, { type: 'compress_image', payload: { source } }];
    expectError(await person.post('/jobs/batch', { jobs }), 400, 'validation_failed', ['jobs[1].payload.source']);
    const each = await person.post('/jobs/batch?mode=each', { jobs });
    expect(each.body.jobs[0]).toMatchObject({ status: 'pending' });
    expect(each.body.jobs[1].error.details).toMatchObject([{ path: 'payload.source' }]);
  });
});
