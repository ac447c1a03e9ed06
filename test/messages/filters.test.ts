import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  await world.worker();
});
beforeEach(async () => {
  person = await register(api.call);
});
afterAll(() => world.end());

async function list(path: string, query: Record<string, string> = {}): Promise<{ id: string; to: string }[]> {
  const answer = await person.get(`${path}?${new URLSearchParams(query)}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

const subjects = async (query: Record<string, string>) =>
  (await person.get(`/email/messages?${new URLSearchParams(query)}`)).body.map(
    ({ subject }: { subject: string }) => subject,
  );

async function send(to: string, subject: string): Promise<string> {
  const answer = await person.post('/email/send', { to, subject, body: 'text' });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.id;
}

async function sentBy(type: string, payload: object): Promise<string> {
  const id = await submitJob(person, type, payload);
  await finishedJob(person, id);
  return id;
}

describe('lists of messages', () => {
  it('to a recipient have exactly its messages, whatever the case, also with a status', async () => {
    const ids = [
      await send('Ada@example.com', 'one'),
      await send('bob@example.com', 'two'),
      await send('ada@example.com', 'three'),
    ];

    expect((await list('/email/messages', { to: 'ADA@example.com' })).map(({ id }) => id)).toEqual([ids[2], ids[0]]);
    expect(await list('/email/messages', { to: 'ada@example.com', status: 'sent' })).toHaveLength(2);
    expect(await list('/email/messages', { to: 'ada@example.com', status: 'bounced' })).toEqual([]);
    expect(await list('/email/messages', { to: 'ada@example' })).toEqual([]);
    person = await register(api.call);
    expect(await list('/email/messages', { to: 'ada@example.com' })).toEqual([]);
  });

  it('with words of the subject find the beginnings of words, without case and accents, in all pages', async () => {
    for (const subject of ['Überweisung erhalten 42', 'Invoice 421', 'Your invoice', 'Other'])
      await send('a@example.com', subject);

    expect(await subjects({ q: 'INVO' })).toEqual(['Your invoice', 'Invoice 421']);
    expect(await subjects({ q: '42 uberw' })).toEqual(['Überweisung erhalten 42']);
    expect(await subjects({ q: 'voice' })).toEqual([]);
    expect(await subjects({ q: 'invoice', to: 'b@example.com' })).toEqual([]);
    const first = await person.get('/email/messages?q=invoice&limit=1');
    const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect((await person.get(next)).body.map(({ subject }: { subject: string }) => subject)).toEqual(['Invoice 421']);
  });

  it('by job have the messages to all of its recipients', async () => {
    const payload = { to: 'a@example.com', cc: ['b@example.com'], subject: 'x', body: 'y' };
    const job = await sentBy('send_email', payload);
    await sentBy('send_email', { ...payload, cc: [] });

    expect((await list('/email/messages', { job })).map(({ to }) => to).sort()).toEqual([
      'a@example.com',
      'b@example.com',
    ]);
    expect(await list('/email/messages', { job, to: 'b@example.com' })).toHaveLength(1);
    expect(await list('/email/messages', { job: 'unknown' })).toEqual([]);
    expect(await list('/sms/messages', { job })).toEqual([]);
  });

  it('between two times have what was created since the first and before the second', async () => {
    await send('a@example.com', 'x');
    const [only] = (await person.get('/email/messages')).body;
    const after = new Date(Date.parse(only.created_at) + 1).toISOString();

    expect(await list('/email/messages', { created_after: only.created_at, created_before: after })).toHaveLength(1);
    expect(await list('/email/messages', { created_after: after })).toEqual([]);
    expect(await list('/email/messages', { created_before: only.created_at })).toEqual([]);
  });

  it('have the same filters for texts and chats, except for subjects', async () => {
    const job = await sentBy('send_sms', { to: '+254711000111', message: 'x' });
    await sentBy('send_chat_message', { to: '254711000222', message: 'x' });

    expect(await list('/sms/messages', { to: '+254711000111', job })).toHaveLength(1);
    expect(await list('/chat/messages', { to: '254711000222' })).toHaveLength(1);
    expect(await list('/chat/messages', { to: '254711000111' })).toEqual([]);
    expect((await person.get('/sms/messages?q=x')).status).toBe(400);
    expect((await person.get('/email/messages?created_after=x')).status).toBe(400);
  });

  it('do not find what is redacted', async () => {
    await sentBy('send_email', { to: 'a@example.com', subject: 'hello', body: 'y' });
    const settings = (keys: string[]) => ({ redact: { payload_keys: keys, after_days: 0 } });
    await person.patch('/org/settings', settings(['to']));
    expect([await list('/email/messages', { to: 'a@example.com' }), await subjects({ q: 'hello' })]).toEqual([
      [],
      ['hello'],
    ]);
    await person.patch('/org/settings', settings(['subject']));
    expect([(await list('/email/messages', { to: 'a@example.com' })).length, await subjects({ q: 'hello' })]).toEqual([
      1,
      [],
    ]);
  });
});

describe('relations of messages', () => {
  it('the detail of a job has its messages, and that of a job without messages has none', async () => {
    const id = await sentBy('send_email', { to: 'a@example.com', bcc: ['b@example.com'], subject: 'x', body: 'y' });
    const [message] = await list('/email/messages', { to: 'a@example.com' });
    const { body } = await person.get(`/jobs/${id}`);
    const sent = { id: expect.any(String), kind: 'email', status: 'sent', error: null };
    expect(body.messages).toEqual([{ ...sent, id: message?.id }, sent]);

    const other = await submitJob(person, 'own', {}, { run_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect((await person.get(`/jobs/${other}`)).body).not.toHaveProperty('messages');
  });

  it('the detail of a message has its job and the name of its template', async () => {
    await person.post('/org/templates', { name: 'welcome', kind: 'email', subject: 'Hi', body: 'Hello' });
    const job = await sentBy('send_email', { to: 'a@example.com', template: 'welcome', data: {} });
    const [message] = await list('/email/messages', { job });
    expect((await person.get(`/email/messages/${message?.id}`)).body).toMatchObject({
      job_id: job,
      template: 'welcome',
    });

    const plain = await send('b@example.com', 'x');
    expect((await person.get(`/email/messages/${plain}`)).body).not.toHaveProperty('template');
  });

  it('the detail of a delivery has the job that its event is about', async () => {
    const hook = await person.post('/org/webhooks', { url: 'https://example.com/hook', events: ['job.*'] });
    const later = { run_at: new Date(Date.now() + 3_600_000).toISOString() };
    const job = await submitJob(person, 'own', {}, later);
    await person.post(`/jobs/${job}/cancel`);
    const path = `/org/webhooks/${hook.body.id}/deliveries`;
    const delivery = await until('the delivery', async () => (await person.get(path)).body[0]);

    expect((await person.get(`${path}/${delivery.id}`)).body.job_id).toBe(job);
  });
});
