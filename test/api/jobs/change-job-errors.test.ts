import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answered,
  createWorld,
  finishedJob,
  type Person,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { expectError } from '../support.js';

const HOUR_MS = 3_600_000;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

let world: World;
let api: TestApi;
let person: Person;
let isHeld: boolean;

const echo = defineHandler({ type: 'echo', run: async (payload) => payload });
const held = defineHandler({
  type: 'held',
  run: (_payload, { signal }) => until('it to be let go', () => !isHeld || signal.aborted),
});

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
  await world.worker({ catalogue: createCatalogue([echo, held]) });
});
afterEach(() => {
  isHeld = false;
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

describe('a job that cannot be changed', () => {
  it('is running, done, failed or canceled: 409, and it stays as it is', async () => {
    isHeld = true;
    const running = await submitJob(person, 'held', {});
    await until('it to run', async () => (await detail(running)).status === 'processing');
    const done = await submitJob(person, 'echo', {});
    const failed = await submitJob(person, 'no.handler', {});
    const canceled = await later();
    await person.post(`/jobs/${canceled}/cancel`);
    for (const id of [done, failed]) await finishedJob(person, id);

    for (const id of [running, done, failed, canceled]) {
      const before = await detail(id);
      expectError(await change(id, { payload: { v: 2 }, run_at: null }), 409, 'conflict');
      expectError(await change(id, { priority: 1 }), 409, 'conflict');
      expect(await detail(id)).toEqual(before);
    }
  });
});

describe('an expiry that is not later than the time', () => {
  it('names the one that was sent, and expires_at if both were', async () => {
    const id = await later();
    const expectIssue = async (body: object, path: string) =>
      expectError(await change(id, body), 400, 'validation_failed', [path]);
    await expectIssue({ expires_at: inMs(HOUR_MS / 2) }, 'expires_at');
    await expectIssue({ expires_at: await runAt(id) }, 'expires_at');
    const at = inMs(3 * HOUR_MS);
    await expectIssue({ run_at: at, expires_at: at }, 'expires_at');
    await expectIssue({ run_at: null, expires_at: inMs(-1_000) }, 'expires_at');
    await changed(id, { expires_at: inMs(2 * HOUR_MS) });
    await expectIssue({ run_at: at }, 'run_at');
    await expectIssue({ run_at: at, priority: 2 }, 'run_at');
    await changed(id, { run_at: at, expires_at: null });
  });
});

describe('a new payload is checked like that of a submission', () => {
  it.each([
    ['webhook', { payload: {} }, ['payload.url']],
    ['webhook', { url: 'ftp://example.com/', payload: {} }, ['payload.url']],
    ['webhook', { url: 5, payload: [] }, ['payload.url', 'payload.payload']],
    ['send_sms', { to: 'x', message: '' }, ['payload.to', 'payload.message']],
    ['send_email', { to: 'a@example.com', template: 'missing' }, ['payload.template']],
  ])('%s with %j is rejected by name', async (type, payload, paths) => {
    const valid: Record<string, object> = {
      webhook: { url: 'https://example.com/', payload: {} },
      send_sms: { to: '+254700000001', message: 'a' },
      send_email: { to: 'a@example.com', subject: 'a', body: 'b' },
    };
    const id = await later({}, type, valid[type]);
    const before = await detail(id);
    expectError(await change(id, { payload, priority: 3 }), 400, 'validation_failed', paths);
    expect(await detail(id)).toEqual(before);
  });

  it('a sender that the organization may not use is a 403', async () => {
    const mail = { to: 'a@example.com', subject: 'a', body: 'b' };
    const id = await later({}, 'send_email', mail);
    const payload = { ...mail, from: 'me@unverified.example' };
    expectError(await change(id, { payload }), 403, 'sender_domain_not_verified', ['payload.from']);
    const sms = await later({}, 'send_sms', { to: '+254700000001', message: 'a' });
    const other = { to: '+254700000001', message: 'a', from: 'STRANGER' };
    expectError(await change(sms, { payload: other }), 403, 'sender_not_registered', ['payload.from']);
  });

  it('more levels than a payload may have, and numbers that JSON cannot write, are rejected', async () => {
    const id = await later();
    let deep: object = {};
    for (let level = 0; level < 70; level++) deep = { deep };
    expectError(await change(id, { payload: deep }), 400, 'validation_failed');
    const raw = '{"payload":{"n":1e999}}';
    const answer = await api.call('PATCH', `/jobs/${id}`, { token: person.token, raw });
    expectError(answer, 400, 'validation_failed', ['payload.n']);
  });
});

describe('bad input', () => {
  const inTwoYears = new Date(Date.now() + 2 * 366 * 86_400_000).toISOString();
  it.each([
    ...['soon', '', inTwoYears, 5, true, {}, [], '2026-13-01T00:00:00Z'].map((run_at) => ({ run_at })),
    ...[10, -1, 1.5, '1', null, {}].map((priority) => ({ priority })),
    ...['2001-01-01T00:00:00Z', inTwoYears, 5, 'soon', [], false].map((expires_at) => ({ expires_at })),
    ...[[], null, 'x', 5].map((payload) => ({ payload })),
    ...[{ type: 'a' }, { max_retries: 3 }, { tags: ['a'] }, { key: 'a' }, { id: 'x' }, { status: 'done' }],
    ...[{ callback_url: 'https://example.com/' }, { Priority: 1 }, { Payload: {} }, { RunAt: null }],
  ])('%j is rejected by name, and nothing changes', async (body) => {
    const id = await later();
    const before = await detail(id);
    const answer = await change(id, { payload: { v: 2 }, ...body });
    expectError(answer, 400, 'validation_failed', Object.keys(body));
    expect(await detail(id)).toEqual(before);
    expect((await person.get(`/jobs/${id}/logs`)).body).toEqual([]);
    await person.post(`/jobs/${id}/cancel`);
  });

  it('a body without a field to change, or that is not an object, is rejected', async () => {
    const id = await later();
    for (const body of [{}, [], 'x', 5, null]) expectError(await change(id, body), 400, 'validation_failed');
    expectError(await change(id), 400, 'invalid_json');
    expectError(await change(`${id}?priority=1`, { priority: 1 }), 400, 'validation_failed', ['priority']);
  });
});
