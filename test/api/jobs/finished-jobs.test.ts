import { randomBytes } from 'node:crypto';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answered,
  createWorld,
  finishedJob,
  type Person,
  register,
  runToEnd,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { expectError } from '../support.js';

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

const remove = (id: string, who = person): Promise<Answered> => api.call('DELETE', `/jobs/${id}`, { token: who.token });
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

const rerun = (id: string, body?: object, headers = {}, who = person): Promise<Answered> =>
  who.post(`/jobs/${id}/rerun`, body, { headers });
const detail = async (id: string) => (await person.get(`/jobs/${id}`)).body;

/** A job that has failed. */
async function failedJob(more: object = {}): Promise<string> {
  const id = await submitJob(person, 'no.handler', { v: 1 }, more);
  expect((await finishedJob(person, id)).job.status).toBe('failed');
  return id;
}

describe('DELETE /jobs/{id}', () => {
  it('a finished job is deleted with its log and artifacts, and its id is free', async () => {
    const id = await failedJob({ id: 'order:1', tags: ['t'], key: 'acme' });
    const { key } = await world.db.job.findFirstOrThrow({ where: { id } });
    const file = {
      name: 'a.pdf',
      contentType: 'application/pdf',
      size: 9,
      sha256: randomBytes(32),
      bytes: randomBytes(9),
    };
    await world.db.artifact.create({ data: { jobKey: key, ...file, createdAt: new Date() } });
    expect(await world.db.jobLog.count({ where: { jobKey: key } })).toBeGreaterThan(0);

    const answer = await remove(id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    for (const path of ['', '/logs', '/result', '/artifacts', '/artifacts/a.pdf', '/attempts', '/events']) {
      expectError(await person.get(`/jobs/${id}${path}`), 404, 'not_found');
    }
    for (const query of ['tag=t', 'key=acme', 'status=failed']) {
      expect((await person.get(`/jobs?${query}`)).body.map((job: { id: string }) => job.id)).not.toContain(id);
    }
    expect(await world.db.jobLog.count({ where: { jobKey: key } })).toBe(0);
    expect(await world.db.artifact.count({ where: { jobKey: key } })).toBe(0);
    expect(await world.db.deletedJob.count({ where: { key } })).toBe(0);
    expectError(await remove(id), 404, 'not_found');

    const again = await person.post('/jobs', { id, type: 'no.handler', payload: { other: 1 }, run_at: inAnHour() });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, null]);
  });

  it.each([
    { kind: 'sms', field: 'message', type: 'send_sms', payload: { to: '+254700000000', message: 'MARKER' } },
    {
      kind: 'email',
      field: 'body',
      type: 'send_email',
      payload: { to: 'a@b.example', subject: 'kept', body: 'MARKER' },
    },
  ])('the $kind of a deleted job stays in the history without its text', async ({ kind, field, type, payload }) => {
    const { job, result } = await runToEnd(person, type, payload);
    const path = `/${kind}/messages/${result.result.message_id}`;
    expect((await person.get(path)).body[field]).toContain('MARKER');

    expect((await remove(job.id)).status).toBe(204);
    const message = await person.get(path);
    expect(message.status, message.text).toBe(200);
    expect(message.body[field]).toBeNull();
    const list = await person.get(`/${kind}/messages`);
    expect(list.body.map(({ id }: { id: string }) => id)).toContain(result.result.message_id);
    for (const { text } of [message, list]) expect(text).not.toContain('MARKER');
  });

  it('a repeated request with the idempotency key of a deleted job gets its last status, and runs nothing', async () => {
    const headers = { 'idempotency-key': 'deleted' };
    const body = { type: 'no.handler', payload: { v: 1 } };
    const { id } = (await person.post('/jobs', body, { headers })).body;
    await finishedJob(person, id);
    expect((await remove(id)).status).toBe(204);

    const again = await person.post('/jobs', body, { headers });
    expect([again.status, again.body]).toEqual([202, { id, status: 'failed' }]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expectError(await person.get(`/jobs/${id}`), 404, 'not_found');
    expectError(await person.post('/jobs', { ...body, payload: {} }, { headers }), 422, 'idempotency_key_reused');
  });

  it('a pending and a running job are conflicts, and go on', async () => {
    isHeld = true;
    const running = await submitJob(person, 'held', {});
    await until('it to run', async () => (await person.get(`/jobs/${running}`)).body.status === 'processing');
    const pending = await submitJob(person, 'no.handler', {}, { run_at: inAnHour() });
    for (const id of [running, pending]) expectError(await remove(id), 409, 'conflict');

    isHeld = false;
    expect((await finishedJob(person, running)).job.status).toBe('done');
    expect((await person.get(`/jobs/${pending}`)).body.status).toBe('pending');
  });

  it('one of many simultaneous requests deletes the job', async () => {
    const id = await failedJob();
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(id)));

    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array.from({ length: 9 }, () => 404)]);
  });

  it('a delete and a retry at the same time leave a complete job, or none', async () => {
    // The retried job must not finish again before the delete.
    isHeld = true;
    for (let n = 0; n < 10; n++) {
      const id = await submitJob(person, 'held', {}, { run_at: inAnHour() });
      expect((await person.post(`/jobs/${id}/cancel`)).status).toBe(202);
      const [deleted, retried] = await Promise.all([remove(id), person.post(`/jobs/${id}/retry`)]);
      expect([[204, 404].join(), [204, 409].join(), [409, 202].join()]).toContain(
        [deleted.status, retried.status].join(),
      );
      const left = await person.get(`/jobs/${id}`);
      expect(left.status).toBe(deleted.status === 204 ? 404 : 200);
      const rows = { submitted: world.db.submittedJob, live: world.db.liveJob, finished: world.db.finishedJob };
      const submitted = await rows.submitted.count({ where: { id } });
      const states = (await rows.live.count({ where: { id } })) + (await rows.finished.count({ where: { id } }));
      expect([submitted, states]).toEqual(deleted.status === 204 ? [0, 0] : [1, 1]);
    }
  });
});

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
    expect((await person.get(`/jobs?rerun_of=${old}`)).body).toMatchObject([{ id: job.id }]);
    expect((await person.get(`/jobs?rerun_of=${old}&tag=a&status=done`)).body).toEqual([]);
    expect((await person.get(`/jobs?rerun_of=${job.id}`)).body).toEqual([]);
    expect((await world.db.job.findFirstOrThrow({ where: { id: job.id } })).priority).toBe(0);
  });

  it('a rerun keeps the name of the limit, also if the limit is deleted meanwhile', async () => {
    await person.put('/org/limits/slow', { concurrency: 5 });
    const old = await failedJob({ limit: 'slow', callback_url: 'https://example.com/' });
    expect(await detail((await rerun(old)).body.id)).toMatchObject({
      limit: 'slow',
      callback_url: 'https://example.com/',
    });
    await person.delete('/org/limits/slow');
    const again = await rerun(old);
    expect([again.status, (await detail(again.body.id)).limit]).toEqual([202, 'slow']);
  });

  it('a job that is done can be run again', async () => {
    const old = await submitJob(person, 'held', {});
    await finishedJob(person, old);
    const { id } = (await rerun(old)).body;
    expect((await finishedJob(person, id)).job).toMatchObject({ status: 'done', rerun_of: old });
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
    expect((await remove(old)).status).toBe(204);
    const late = await rerun(old, undefined, headers);
    expect([late.status, late.body.id]).toEqual([202, answers[0]?.body.id]);
    expectError(await rerun(old), 404, 'not_found');
  });
});
