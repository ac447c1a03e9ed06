import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { addMember, expectError, expectUnauthenticated, newKey } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;
let isHeld: boolean;

const held = defineHandler({
  type: 'held',
  run: (_payload, { signal }) => until('it to be let go', () => !isHeld || signal.aborted),
});

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
  await world.worker({ catalogue: createCatalogue([held]) });
  await world.worker();
});
afterEach(() => {
  isHeld = false;
});
afterAll(() => world.end());

const rerun = (id: string, body?: object, headers = {}, who = person) =>
  who.post(`/jobs/${id}/rerun`, body, { headers });
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const detail = async (id: string) => (await person.get(`/jobs/${id}`)).body;

async function failedJob(more: object = {}, payload: object = { v: 1 }): Promise<string> {
  const id = await submitJob(person, 'no.handler', payload, more);
  expect((await finishedJob(person, id)).job.status).toBe('failed');
  return id;
}

describe('POST /jobs/{id}/rerun', () => {
  it('a rerun is a new job of the same kind, which names the finished one; the finished one stays as it is', async () => {
    const old = await failedJob({ max_retries: 3, tags: ['a', 'b'], key: 'acme', priority: 9 });
    const before = await detail(old);
    const answer = await rerun(old);
    expect([answer.status, answer.body]).toEqual([202, { id: expect.any(String), status: 'pending' }]);
    expect(answer.body.id).not.toBe(old);

    const { job } = await finishedJob(person, answer.body.id);
    expect(job).toMatchObject({ type: 'no.handler', payload: { v: 1 }, max_retries: 3, tags: ['a', 'b'], key: 'acme' });
    expect(job.rerun_of).toBe(old);
    expect(await detail(old)).toEqual(before);
    expect(before).not.toHaveProperty('rerun_of');
    expect((await world.db.job.findFirstOrThrow({ where: { id: job.id } })).priority).toBe(0);
  });

  it('a rerun starts now, whenever the finished job was due', async () => {
    const runAt = new Date(Date.now() + 500).toISOString();
    const old = await failedJob({ run_at: runAt });
    const { id } = (await rerun(old, {})).body;
    const { result } = await finishedJob(person, id);

    expect(Date.parse(result.run_at)).toBeGreaterThan(Date.parse(runAt));
  });

  it('a new payload replaces the old one, and is validated like the payload of a submission', async () => {
    const old = await failedJob();
    expect((await detail((await rerun(old, { payload: { v: 2 } })).body.id)).payload).toEqual({ v: 2 });

    const receiver = { url: 'https://example.com/hook', payload: {} };
    const webhook = await submitJob(person, 'webhook', receiver, { run_at: inAnHour() });
    expect((await person.post(`/jobs/${webhook}/cancel`)).status).toBe(202);
    expectError(await rerun(webhook, { payload: { payload: {} } }), 400, 'validation_failed', ['payload.url']);
    expectError(await rerun(old, { payload: [] }), 400, 'validation_failed', ['payload']);
    expectError(await rerun(old, { tags: ['x'] }), 400, 'validation_failed', ['tags']);
    expectError(await rerun(old, { payload: 5, run_at: 'x' }), 400, 'validation_failed', ['payload', 'run_at']);
  });

  it('a sender rule holds for a rerun too', async () => {
    const payload = { to: 'a@b.example', subject: 's', body: 'b' };
    const old = await submitJob(person, 'send_email', payload);
    await finishedJob(person, old);

    const forged = { payload: { ...payload, from: 'a@not-verified.example' } };
    expectError(await rerun(old, forged), 403, 'sender_domain_not_verified');
  });

  it('a pending and a running job are conflicts', async () => {
    isHeld = true;
    const running = await submitJob(person, 'held', {});
    await until('it to run', async () => (await detail(running)).status === 'processing');
    const pending = await submitJob(person, 'no.handler', {}, { run_at: inAnHour() });

    for (const id of [running, pending]) expectError(await rerun(id), 409, 'conflict');
    expect(await world.db.job.count({ where: { rerunOf: { in: [running, pending] } } })).toBe(0);
  });

  it('one of many requests with the same idempotency key makes a job, and another payload is refused', async () => {
    const old = await failedJob();
    const headers = { 'idempotency-key': 'rerun' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => rerun(old, {}, headers)));
    for (const answer of answers) expect(answer.status, answer.text).toBe(202);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true')).toHaveLength(9);
    expectError(await rerun(old, { payload: { v: 2 } }, headers), 422, 'idempotency_key_reused');
    expect(await world.db.job.count({ where: { rerunOf: old } })).toBe(1);

    // The answer stays the same after the finished job is gone.
    expect((await api.call('DELETE', `/jobs/${old}`, { token: person.token })).status).toBe(204);
    const late = await rerun(old, undefined, headers);
    expect([late.status, late.body.id]).toEqual([202, answers[0]?.body.id]);
    expectError(await rerun(old), 404, 'not_found');
  });

  it('members and API keys may run jobs again; other organizations get 404, and callers without credentials 401', async () => {
    const old = await failedJob();
    const member = await addMember(world, api, person.orgId, 'member');
    expect((await rerun(old, {}, {}, member)).status).toBe(202);
    const { key } = await newKey(person);
    expect((await api.call('POST', `/jobs/${old}/rerun`, { key })).status).toBe(202);

    expectError(await rerun(old, {}, {}, await register(api.call)), 404, 'not_found');
    expectError(await rerun('no-such-job'), 404, 'not_found');
    expectUnauthenticated(await api.call('POST', `/jobs/${old}/rerun`, { body: {} }));
  });
});
