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

const remove = (id: string, who = person): Promise<Answered> => api.call('DELETE', `/jobs/${id}`, { token: who.token });
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** A job that has failed. */
async function failedJob(more: object = {}, who = person): Promise<string> {
  const id = await submitJob(who, 'no.handler', { secret: 1 }, more);
  expect((await finishedJob(who, id)).job.status).toBe('failed');
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
    for (let n = 0; n < 10; n++) {
      const id = await failedJob();
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

  it('members and API keys may delete; other organizations get 404, and callers without credentials 401', async () => {
    const member = await addMember(world, api, person.orgId, 'member');
    expect((await remove(await failedJob(), member)).status).toBe(204);
    const { key } = await newKey(person);
    expect((await api.call('DELETE', `/jobs/${await failedJob()}`, { key })).status).toBe(204);

    const id = await failedJob();
    expectError(await remove(id, await register(api.call)), 404, 'not_found');
    expectError(await remove('no-such-job'), 404, 'not_found');
    expectUnauthenticated(await api.call('DELETE', `/jobs/${id}`));
    expect((await person.get(`/jobs/${id}`)).status).toBe(200);
  });
});
