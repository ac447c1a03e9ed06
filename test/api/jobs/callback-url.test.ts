import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, finishedJob, register, submitJob, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

const BODY = { type: 'no.handler', payload: {}, run_at: new Date(Date.now() + 3_600_000).toISOString() };
const URL = 'https://example.com/ended?job=1';

let world: World;
let api: TestApi;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
afterAll(() => world.end());

it('a job shows its callback URL in its detail only, and a job without one shows none', async () => {
  const person = await register(api.call);
  const reported = await submitJob(person, BODY.type, {}, { ...BODY, callback_url: URL });
  const other = await submitJob(person, BODY.type, {}, BODY);

  expect((await person.get(`/jobs/${reported}`)).body.callback_url).toBe(URL);
  expect((await person.get(`/jobs/${other}`)).body).not.toHaveProperty('callback_url');
  for (const job of (await person.get('/jobs')).body) expect(job).not.toHaveProperty('callback_url');
});

it.each([
  'http://127.0.0.1:8080/',
  'HTTPS://Example.com/a?b=c#d',
  'http://bücher.example/ä',
  'https://example.com/'.padEnd(2048, 'a'),
])('the callback URL %.40s is stored as it was submitted', async (callback_url) => {
  const person = await register(api.call);
  const answer = await person.post('/jobs/batch', { jobs: [BODY, { ...BODY, callback_url }] });
  expect(answer.status, answer.text).toBe(202);

  expect((await person.get(`/jobs/${answer.body.jobs[1].id}`)).body.callback_url).toBe(callback_url);
  expect((await person.get(`/jobs/${answer.body.jobs[0].id}`)).body).not.toHaveProperty('callback_url');
});

it('a job keeps its callback URL through its end and a retry, and a rerun copies it', async () => {
  const person = await register(api.call);
  await world.worker();
  const id = await submitJob(person, BODY.type, {}, { callback_url: URL });
  expect((await finishedJob(person, id)).job).toMatchObject({ status: 'failed', callback_url: URL });
  const rerun = await person.post(`/jobs/${id}/rerun`);
  expect((await person.get(`/jobs/${rerun.body.id}`)).body).toMatchObject({ callback_url: URL, rerun_of: id });

  expect((await person.post(`/jobs/${id}/retry`)).status).toBe(202);
  expect((await person.get(`/jobs/${id}`)).body.callback_url).toBe(URL);
});

it('a repeated job is the same only with the same callback URL', async () => {
  const person = await register(api.call);
  const headers = { 'idempotency-key': 'callback' };
  for (const replayed of [null, 'true']) {
    const byId = await person.post('/jobs', { ...BODY, id: 'callback', callback_url: URL });
    const byKey = await person.post('/jobs', { ...BODY, callback_url: URL }, { headers });
    for (const answer of [byId, byKey]) {
      expect(answer.status, answer.text).toBe(202);
      expect(answer.headers.get('idempotent-replayed')).toBe(replayed);
    }
  }
  for (const callback_url of [`${URL}0`, undefined]) {
    expectError(await person.post('/jobs', { ...BODY, id: 'callback', callback_url }), 409, 'conflict');
    expectError(await person.post('/jobs', { ...BODY, callback_url }, { headers }), 422, 'idempotency_key_reused');
  }
  expect((await person.get('/jobs')).body).toHaveLength(2);
});

it.each([
  ...['', ' ', 'not a url', 'example.com/path', '//example.com/x', 'http://', 'http://300.1.1.1/'],
  ...['ftp://example.com/', 'file:///etc/passwd', 'javascript:alert(1)'],
  ...['http://me@example.com/', 'http://me:pw@example.com/', 'http://example.com:25/'],
  ...['http://example.com/\0', 'http://example.com/\n', 'http://example.com/\ud800'],
  'https://example.com/'.padEnd(2049, 'a'),
  ...[5, true, null, [URL], { url: URL }],
])('the callback URL %j is rejected by name, alone and in a batch', async (callback_url) => {
  const person = await register(api.call);
  const body = { ...BODY, callback_url };
  expectError(await person.post('/jobs', body), 400, 'validation_failed', ['callback_url']);
  expectError(await person.post('/jobs/batch', { jobs: [BODY, body] }), 400, 'validation_failed', [
    'jobs[1].callback_url',
  ]);
  expect((await person.get('/jobs')).body).toEqual([]);
});

it('a callback URL belongs to the spelling with lower-case names only', async () => {
  const person = await register(api.call);
  for (const name of ['callback_url', 'CallbackUrl', 'CallbackURL', 'Callback_Url']) {
    const body = { Type: 'x', Payload: {}, [name]: URL };
    expectError(await person.post('/jobs', body), 400, 'validation_failed');
  }
});
