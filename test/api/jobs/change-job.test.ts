import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Answered,
  createWorld,
  finishedJob,
  linesOf,
  type Person,
  readEvents,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { addMember, expectError, newKey } from '../support.js';

const HOUR_MS = 3_600_000;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

let world: World;
let api: TestApi;
let person: Person;

/** Its result is its payload. */
const echo = defineHandler({ type: 'echo', run: async (payload) => payload });

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
  await world.worker({ catalogue: createCatalogue([echo]) });
});
afterAll(() => world.end());

const change = (id: string, body?: unknown, who = person): Promise<Answered> =>
  api.call('PATCH', `/jobs/${id}`, { token: who.token, body });
const detail = async (id: string) => (await person.get(`/jobs/${id}`)).body;
const runAt = async (id: string): Promise<string> => (await person.get(`/jobs/${id}/result`)).body.run_at;
const later = (more: object = {}, type = 'echo', payload: object = { v: 1 }) =>
  submitJob(person, type, payload, { run_at: inMs(HOUR_MS), ...more });

async function changed(id: string, body: object): Promise<Answered['body']> {
  const answer = await change(id, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

it('a changed payload is in the answer, and is what the handler gets', async () => {
  const id = await later({ tags: ['t'], key: 'acme', max_retries: 2 });
  const before = await detail(id);

  const job = await changed(id, { payload: { v: 2 } });
  expect(job).toEqual({ ...before, payload: { v: 2 }, updated_at: job.updated_at });
  expect(job.updated_at >= before.updated_at).toBe(true);
  expect(await detail(id)).toEqual(job);

  await changed(id, { run_at: null });
  const { result } = await finishedJob(person, id);
  expect(result).toMatchObject({ status: 'done', result: { v: 2 } });
});

it.each([
  ['small', 'large', { text: 'x'.repeat(100_000) }],
  ['large', 'small', { text: 'x' }],
])('a %s payload that is changed to a %s one gives the handler the new one', async (from, _to, payload) => {
  const old = from === 'small' ? { v: 1 } : { text: 'y'.repeat(100_000) };
  const id = await later({}, 'echo', old);
  await changed(id, { payload, run_at: null });
  expect((await finishedJob(person, id)).result.result).toEqual(payload);
});

it('a changed payload keeps every character', async () => {
  const payload = { '\0': '\ud800 "\\ \u2028', n: 1e300, list: [null, [], {}] };
  const raw = JSON.stringify({ payload }).replace('"n"', '"__proto__":{"b":2},"n"');
  const id = await later();
  const answer = await api.call('PATCH', `/jobs/${id}`, { token: person.token, raw });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.text).toContain('"__proto__":{"b":2}');
  expect(answer.body).toEqual(JSON.parse(answer.text));
  expect(answer.body.payload).toEqual(JSON.parse(raw).payload);
});

it('a changed time puts a job off or brings it forward, and leaves everything else', async () => {
  const id = await later({ tags: ['t'] });
  const before = await detail(id);
  for (const run_at of [inMs(2 * HOUR_MS), inMs(HOUR_MS / 2)]) {
    const { updated_at, ...job } = await changed(id, { run_at });
    expect({ ...job, updated_at: before.updated_at }).toEqual(before);
    expect(await runAt(id)).toBe(run_at);
  }
  await changed(id, { run_at: '2001-01-01T00:00:00Z' });
  expect((await finishedJob(person, id)).job.status).toBe('done');
  expect(Date.parse(await runAt(id))).toBeGreaterThan(Date.parse(before.created_at) - 1);
});

it('an expiry can be set, moved and taken away', async () => {
  const id = await later();
  for (const expires_at of [inMs(2 * HOUR_MS), inMs(3 * HOUR_MS)]) {
    expect(await changed(id, { expires_at })).toMatchObject({ expires_at });
    expect(await detail(id)).toMatchObject({ expires_at });
  }
  expect(await changed(id, { expires_at: null })).not.toHaveProperty('expires_at');
  await changed(id, { run_at: null });
  expect((await finishedJob(person, id)).job.status).toBe('done');
});

it('a job fails with expired at its changed time', async () => {
  const id = await later();
  await changed(id, { expires_at: inMs(2 * HOUR_MS) });
  await world.db.$executeRaw`UPDATE jobs SET expires_at = now() - interval '1 s' WHERE id = ${id}`;
  expect((await finishedJob(person, id)).result.error.code).toBe('expired');
});

it('a time and an expiry can be changed together', async () => {
  const id = await later({ expires_at: inMs(2 * HOUR_MS) });
  const [run_at, expires_at] = [inMs(5 * HOUR_MS), inMs(6 * HOUR_MS)];
  expect(await changed(id, { run_at, expires_at })).toMatchObject({ expires_at });
  expect(await runAt(id)).toBe(run_at);
});

it('a change is in the log of the job and in event streams, without the payload', async () => {
  const id = await later();
  const streams = await Promise.all(
    [`/jobs/${id}/events`, '/jobs/events'].map((path) => readEvents(api.url + path, { token: person.token })),
  );
  await changed(id, { payload: { secret: 'hidden' }, priority: 4, run_at: inMs(2 * HOUR_MS) });
  await changed(id, { expires_at: inMs(3 * HOUR_MS) });

  expect((await person.get(`/jobs/${id}/logs?detail=full`)).body).toMatchObject([
    { attempt: 1, kind: 'note', level: 'info', message: 'changed on request: run_at, priority, payload' },
    { attempt: 1, kind: 'note', level: 'info', message: 'changed on request: expires_at' },
  ]);
  const job = (await person.get('/jobs')).body.find((one: { id: string }) => one.id === id);
  for (const { events, close } of streams) {
    const own = () => events.filter(({ data }) => data.id === id || data.job_id === id);
    await until('both changes', () => own().filter(({ name }) => name === 'log').length === 2);
    await until('the status after them', () => own().some(({ data }) => data.updated_at === job.updated_at));
    expect(own().find(({ data }) => data.updated_at === job.updated_at)?.data).toEqual(job);
    expect(JSON.stringify(own())).not.toContain('hidden');
    await close();
  }
});

it('a repeated submission is compared with the first one, not with the changed job', async () => {
  const body = { type: 'echo', payload: { v: 1 }, run_at: inMs(HOUR_MS), priority: 1 };
  const headers = { 'idempotency-key': 'changed' };
  const byId = { ...body, id: 'changed' };
  await person.post('/jobs', byId);
  const { id } = (await person.post('/jobs', body, { headers })).body;
  for (const one of ['changed', id]) {
    await changed(one, { payload: { v: 2 }, run_at: inMs(2 * HOUR_MS), priority: 5, expires_at: inMs(3 * HOUR_MS) });
  }
  for (const answer of [await person.post('/jobs', byId), await person.post('/jobs', body, { headers })]) {
    expect(answer.status, answer.text).toBe(202);
    expect(answer.headers.get('idempotent-replayed')).toBe('true');
  }
  expectError(await person.post('/jobs', { ...byId, payload: { v: 2 } }), 409, 'conflict');
  const other = await person.post('/jobs', { ...body, payload: { v: 2 } }, { headers });
  expectError(other, 422, 'idempotency_key_reused');
});

it('a changed payload stays when the job is retried by hand or run again as a new job', async () => {
  const id = await later({}, 'no.handler', { v: 1 });
  await changed(id, { payload: { v: 2 }, priority: 7, run_at: null });
  expect((await finishedJob(person, id)).job).toMatchObject({ status: 'failed', payload: { v: 2 } });
  await person.post(`/jobs/${id}/retry`);
  await finishedJob(person, id);
  expect(await world.db.job.findFirst({ where: { id } })).toMatchObject({ payload: { v: 2 }, priority: 7 });

  const again = await person.post(`/jobs/${id}/rerun`);
  expect((await detail(again.body.id)).payload).toEqual({ v: 2 });
});

it('a change of a job that waits for its retry changes its next attempt', async () => {
  let attempts = 0;
  const flaky = defineHandler({
    type: 'flaky',
    async run(payload) {
      attempts += 1;
      if (attempts === 1) throw new Error('not yet');
      return payload;
    },
  });
  const own = await createWorld();
  const at = await own.api();
  const someone = await register(at.call);
  await own.worker({ catalogue: createCatalogue([flaky]), retryBaseMs: HOUR_MS / 12 });
  const id = await submitJob(someone, 'flaky', { v: 1 }, { max_retries: 1 });
  await until('its first attempt to fail', async () => (await someone.get(`/jobs/${id}`)).body.retries === 1);

  // The time of the retry is its time to run.
  const early = { token: someone.token, body: { expires_at: new Date(Date.now() + 10_000).toISOString() } };
  expectError(await at.call('PATCH', `/jobs/${id}`, early), 400, 'validation_failed', ['expires_at']);
  const answer = await at.call('PATCH', `/jobs/${id}`, {
    token: someone.token,
    body: { run_at: null, payload: { v: 2 } },
  });
  expect(answer.body).toMatchObject({ retries: 1, payload: { v: 2 } });
  const story = await finishedJob(someone, id);
  expect(story.result.result).toEqual({ v: 2 });
  expect(linesOf(story)[2]).toBe('1 info changed on request: run_at, payload');
  await own.end();
});

it('a member or an API key of the organization may change a job', async () => {
  const member = await addMember(world, api, person.orgId, 'member');
  const { key } = await newKey(person);
  const id = await later();
  expect((await change(id, { priority: 1 }, member)).status).toBe(200);
  expect((await api.call('PATCH', `/jobs/${id}`, { key, body: { priority: 2 } })).status).toBe(200);
});
