import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, submitJob, type TestApi, until, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
beforeEach(async () => {
  person = await register(api.call);
  await redact(['card']);
});
afterAll(() => world.end());

async function redact(payloadKeys: string[], afterDays = 0): Promise<void> {
  const body = { redact: { payload_keys: payloadKeys, after_days: afterDays } };
  const answer = await person.patch('/org/settings', body);
  expect(answer.status, answer.text).toBe(200);
}

/** Ends a job as a worker would. */
async function end(id: string, daysAgo = 0, status: 'done' | 'failed' = 'failed'): Promise<void> {
  const { orgId } = person;
  const error = status === 'failed' ? { errorCode: 'handler_error', errorMessage: 'it broke' } : {};
  const finishedAt = new Date(Date.now() - daysAgo * 86_400_000 - 10);
  await world.db.job.update({ where: { orgId_id: { orgId, id } }, data: { status, attempt: 1, finishedAt, ...error } });
}

async function endedJob(payload: object, daysAgo = 0, status: 'done' | 'failed' = 'failed'): Promise<string> {
  const id = await submitJob(person, 'custom', payload);
  await end(id, daysAgo, status);
  return id;
}

const payloadOf = async (id: string) => (await person.get(`/jobs/${id}`)).body.payload;

describe('the payload of a job', () => {
  it('a payload is shown as submitted until its job ends, and then without the values of the listed keys', async () => {
    const payload = { card: { number: '4111' }, items: [{ card: [1, 2], n: 1 }], Card: 'kept', note: 'card' };
    const id = await submitJob(person, 'custom', payload);
    expect(await payloadOf(id)).toEqual(payload);

    await end(id);
    expect(await payloadOf(id)).toEqual({
      card: '[redacted]',
      items: [{ card: '[redacted]', n: 1 }],
      Card: 'kept',
      note: 'card',
    });
  });

  it('keys that are special in JavaScript are redacted, also next to characters that Postgres cannot store', async () => {
    await redact(['__proto__', 'constructor', '0', 'a"b\\', 'é\n']);
    const raw =
      '{"__proto__":"s1","constructor":"s2","0":"s3","a\\"b\\\\":"s4","é\\n":"s5","list":["kept"],"nul":"\\u0000"}';
    const answer = await api.call('POST', '/jobs', { token: person.token, raw: `{"type":"custom","payload":${raw}}` });
    await end(answer.body.id);

    const { text } = await person.get(`/jobs/${answer.body.id}`);
    expect(text).not.toMatch(/s[1-5]/);
    expect(text.match(/\[redacted\]/g)).toHaveLength(5);
    expect(text).toContain('"list":["kept"],"nul":"\\u0000"');
    expectError(await person.post(`/jobs/${answer.body.id}/retry`), 409, 'conflict');
  });

  it('a payload is redacted only after the days that the organization has chosen', async () => {
    await redact(['card'], 2);
    const [young, old] = [await endedJob({ card: 1 }, 1.9), await endedJob({ card: 1 }, 2.1)];

    expect([await payloadOf(young), await payloadOf(old)]).toEqual([{ card: 1 }, { card: '[redacted]' }]);
    expect((await person.post(`/jobs/${young}/retry`)).status).toBe(202);
    expectError(await person.post(`/jobs/${old}/retry`), 409, 'conflict');
  });

  it('an organization that redacts nothing sees complete payloads', async () => {
    person = await register(api.call);
    const id = await endedJob({ card: 1 });

    expect(await payloadOf(id)).toEqual({ card: 1 });
    expect((await person.post(`/jobs/${id}/retry`)).status).toBe(202);
  });
});

describe('a redacted job', () => {
  it('a redacted job cannot be retried, and the message says what to do', async () => {
    const id = await endedJob({ list: [{ card: 1 }] });

    const answer = await person.post(`/jobs/${id}/retry`);
    expectError(answer, 409, 'conflict');
    expect(answer.body.error.message).toMatch(/redacted.*rerun.*"payload"/);
    expect((await person.get(`/jobs/${id}`)).body.status).toBe('failed');
  });

  it('a job whose payload has none of the keys can be retried', async () => {
    const id = await endedJob({ note: 'a card, and "card":1', wildcard: 2, list: ['card'] });

    expect((await person.post(`/jobs/${id}/retry`)).status).toBe(202);
  });

  it.each(['done', 'failed'] as const)(
    'a redacted job with the status %s is rerun only with another payload',
    async (status) => {
      const id = await endedJob({ card: 1, n: 1 }, 0, status);
      const rerun = (body?: object) => person.post(`/jobs/${id}/rerun`, body);

      const refused = await rerun();
      expectError(refused, 409, 'conflict');
      expect(refused.body.error.message).toMatch(/redacted.*"payload"/);
      const made = await rerun({ payload: { card: 2 } });
      expect(made.status, made.text).toBe(202);
      expect((await person.get(`/jobs/${made.body.id}`)).body).toMatchObject({ rerun_of: id, payload: { card: 2 } });
    },
  );

  it('a repeated rerun is answered like the first one, although the job is redacted now', async () => {
    await redact([]);
    const id = await endedJob({ card: 1 });
    const options = { headers: { 'idempotency-key': 'once' } };
    const first = await person.post(`/jobs/${id}/rerun`, {}, options);
    expect(first.status).toBe(202);
    await redact(['card']);

    const again = await person.post(`/jobs/${id}/rerun`, {}, options);
    expect([again.status, again.body.id]).toEqual([202, first.body.id]);
  });

  it.each(['retry', 'rerun'])('a redacted job is skipped by a bulk %s', async (action) => {
    await endedJob({ card: 1 });
    const plain = await endedJob({ n: 1 });

    const { id } = (await person.post('/jobs/bulk', { action, filter: { status: 'failed' } })).body;
    const bulk = await until('the bulk action to finish', async () => {
      const { body } = await person.get(`/jobs/bulk/${id}`);
      return body.status === 'done' && body;
    });
    expect(bulk).toMatchObject({ total: 2, done: 1, skipped: 1, failed: 0 });
    const jobs = (await person.get('/jobs?status=pending')).body;
    expect(jobs).toHaveLength(1);
    if (action === 'retry') expect(jobs[0].id).toBe(plain);
    expect(await payloadOf(jobs[0].id)).toEqual({ n: 1 });
  });

  it('a message of a redacted or deleted job is shown without the values of the listed keys', async () => {
    await redact(['to', 'code']);
    const fields = { provider: 'sandbox', calledAt: new Date(), createdAt: new Date(), updatedAt: new Date() };
    const id = await submitJob(person, 'send_email', { to: 'ada@example.com', subject: 'Hello', body: 'Text' });
    const { key } = await world.db.job.findFirstOrThrow({ where: { orgId: person.orgId, id } });
    await world.db.message.create({
      data: {
        ...fields,
        id: key,
        orgId: person.orgId,
        channel: 'email',
        recipient: 'ada@example.com',
        subject: 'Hello',
        body: 'Text',
        jobKey: key,
      },
    });
    await end(id, 0, 'done');
    const message = async () => (await person.get(`/email/messages/${key}`)).body;
    expect(await message()).toMatchObject({ to: '[redacted]', from: null, subject: 'Hello', body: 'Text' });

    await redact(['to'], 30);
    expect(await message()).toMatchObject({ to: 'ada@example.com' });
    expect((await person.delete(`/jobs/${id}`)).status).toBe(204);
    expect(await message()).toMatchObject({ to: '[redacted]', subject: 'Hello', body: null });
  });
});
