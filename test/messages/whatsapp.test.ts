import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectError } from '../api/support.js';
import {
  createWorld,
  finishedJob,
  type Person,
  type Received,
  type Receiver,
  type Reply,
  register,
  runToEnd,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';

/** The parts of the protocol of WhatsApp's Cloud API that these tests need. */

const CALLBACKS = { CHAT_WEBHOOK_SECRET: 'the secret of the app', CHAT_WEBHOOK_VERIFY_TOKEN: 'the verify token' };
const TEXT = { to: '+254712345678', message: 'Hello' };
const TEMPLATE = { name: 'order_ready', language: 'en_US', parameters: ['Ada', '17:00'] };
const REJECTION = {
  code: 131047,
  title: 'Re-engagement message',
  error_data: { details: 'More than 24 hours have passed.' },
};

let world: World;
let api: TestApi;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  api = await world.api({ settings: { callbacks: CALLBACKS } });
  person = await register(api.call);
});
afterEach(() => world.end());

async function startWhatsapp(reply: (request: Received, n: number) => Reply = takesMessage, hosts: string[] = []) {
  const provider = await world.receiver(reply);
  const sender = { CHAT_API_KEY: 'token', CHAT_PHONE_NUMBER_ID: '106540352242922' };
  const providers = { CHAT_PROVIDER: 'whatsapp', CHAT_BASE_URL: provider.url, ...sender };
  await world.worker({ providers, allowHosts: hosts, retryBaseMs: 10 });
  return provider;
}

function takesMessage(_request: Received, n: number): Reply {
  return { body: JSON.stringify({ messaging_product: 'whatsapp', messages: [{ id: `wamid.${n}` }] }) };
}

async function sent(payload: object = TEXT): Promise<string> {
  const { job, result } = await runToEnd(person, 'send_chat_message', payload);
  expect(job.status).toBe('done');
  return result.result.message_id;
}

const chat = async (id: string) => (await person.get(`/chat/messages/${id}`)).body;

function statuses(...entries: object[]): string {
  const metadata = { display_phone_number: '15550783881', phone_number_id: 'of another number' };
  const value = { messaging_product: 'whatsapp', metadata, statuses: entries };
  return JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
  });
}

const status = (id: string, name: string, more: object = {}) => ({
  id,
  status: name,
  timestamp: '1750857384',
  recipient_id: '254712345678',
  ...more,
});

/** Posts a notification as Meta does. */
function notify(body: string, { signature = sign(body), query = '' } = {}) {
  return api.call('POST', `/webhooks/whatsapp${query}`, {
    raw: body,
    headers: { 'content-type': 'application/json', 'X-Hub-Signature-256': signature },
  });
}

function sign(body: string, secret = CALLBACKS.CHAT_WEBHOOK_SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

describe('statuses of WhatsApp', () => {
  it('statuses raise the status of a message and never lower it, and read counts as delivered', async () => {
    await startWhatsapp();
    const [first, second] = [await sent(), await sent()];

    for (const name of ['read', 'sent', 'failed', 'read']) {
      expect((await notify(statuses(status('wamid.1', name)))).status).toBe(200);
    }
    await notify(statuses(status('wamid.2', 'delivered'), status('wamid.unknown', 'failed')), { query: '?a=1&a=2' });

    const { status: raised, error, events } = await chat(first);
    expect({ raised, error }).toEqual({ raised: 'delivered', error: null });
    expect(events).toMatchObject([
      { event: 'read', status: 'delivered', occurred_at: '2025-06-25T13:16:24.000Z' },
      { event: 'sent', status: 'sent' },
      { event: 'failed', status: 'failed' },
    ]);
    expect(await chat(second)).toMatchObject({ status: 'delivered' });
  });

  it('a rejection that arrives later makes the message failed, and the webhooks of the organization get message.failed', async () => {
    const hook: Receiver = await world.receiver();
    await startWhatsapp(takesMessage, [hook.host]);
    await person.post('/org/webhooks', { url: hook.url, events: ['message.failed'] });
    const id = await sent();

    await notify(statuses(status('wamid.1', 'failed', { errors: [REJECTION] })));

    const error = {
      code: 'provider_rejected',
      message: 'Re-engagement message: More than 24 hours have passed. (131047)',
    };
    expect(await chat(id)).toMatchObject({ status: 'failed', error });
    const event = await until('the event', () => hook.received[0]);
    expect(JSON.parse(event.text)).toMatchObject({
      type: 'message.failed',
      data: { id, channel: 'chat', status: 'failed', to: TEXT.to, provider_message_id: 'wamid.1', error },
    });
  });

  it('a status that arrives before the answer to its message is applied afterwards', async () => {
    await startWhatsapp();
    await notify(statuses(status('wamid.1', 'delivered')));

    expect(await chat(await sent())).toMatchObject({ status: 'delivered' });
  });

  it('a notification without a valid signature over exactly its bytes changes nothing', async () => {
    await startWhatsapp();
    const id = await sent();
    const body = statuses(status('wamid.1', 'delivered'));
    const unconfigured = await world.api();

    for (const signature of ['', sign(`${body} `), sign(body, 'another secret'), sign(body).slice(7)]) {
      expectError(await notify(body, { signature }), 401, 'unauthenticated');
    }
    expectError(await api.call('POST', '/webhooks/whatsapp', { raw: body }), 401, 'unauthenticated');
    const headers = { 'X-Hub-Signature-256': sign(body, '') };
    expectError(await unconfigured.call('POST', '/webhooks/whatsapp', { raw: body, headers }), 401, 'unauthenticated');
    expectError(await notify('{}'), 400, 'validation_failed');
    expect((await notify('{"object":"whatsapp_business_account","entry":[]}')).body).toEqual({ received: 0 });

    expect((await chat(id)).status).toBe('sent');
  });
});

describe('the challenge of WhatsApp', () => {
  const ask = (query: string, { call } = api) => call('GET', `/webhooks/whatsapp?${query}`);
  const token = 'hub.verify_token=the%20verify%20token';

  it('the challenge is answered as plain text, whatever else is in the query', async () => {
    for (const more of ['', '&other=1&other=2']) {
      const answer = await ask(`hub.mode=subscribe&${token}&hub.challenge=1158201444${more}`);

      expect([answer.status, answer.text]).toEqual([200, '1158201444']);
      expect(answer.headers.get('content-type')).toBe('text/plain');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('another token is a 401, and a request without a challenge is a 400', async () => {
    const unconfigured = await world.api();
    for (const wrong of ['', 'hub.verify_token=', 'hub.verify_token=the%20verify%20token%20']) {
      expectError(await ask(`hub.mode=subscribe&${wrong}&hub.challenge=1`), 401, 'unauthenticated');
    }
    const empty = 'hub.mode=subscribe&hub.verify_token=&hub.challenge=1';
    expectError(await ask(empty, unconfigured), 401, 'unauthenticated');
    for (const query of [token, `${token}&hub.mode=subscribe`, `${token}&hub.mode=x&hub.challenge=1`]) {
      expectError(await ask(query), 400, 'validation_failed');
    }
  });

  it('other providers have no challenge', async () => {
    const answer = await api.call('GET', '/webhooks/sendgrid');
    expectError(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('POST');
    expectError(await api.call('GET', '/webhooks/unknown'), 404, 'not_found');
  });
});

describe('the history of chat messages', () => {
  it('the history has texts and templates with their status, newest first, and can be filtered', async () => {
    await startWhatsapp((request, n) =>
      n === 2
        ? { status: 400, body: JSON.stringify({ error: { code: 100, message: 'Invalid parameter' } }) }
        : takesMessage(request, n),
    );
    const id = await sent();
    const refused = await runToEnd(person, 'send_chat_message', TEXT);
    const template = await runToEnd(person, 'send_chat_message', { to: TEXT.to, template: TEMPLATE });

    const { body } = await person.get('/chat/messages');
    const noTemplate = { template: null, language: null, parameters: null };
    expect(body).toMatchObject([
      { status: 'sent', message: null, template: 'order_ready', language: 'en_US', parameters: ['Ada', '17:00'] },
      { status: 'failed', error: { code: 'provider_rejected', message: expect.stringContaining('Invalid parameter') } },
      { id, status: 'sent', to: TEXT.to, provider: 'whatsapp', message: 'Hello', ...noTemplate, error: null },
    ]);
    expect(body[0]).toMatchObject({ id: template.result.result.message_id, job_id: template.job.id });
    expect(body[1]).toMatchObject({ job_id: refused.job.id, provider_message_id: null });
    expect((await person.get('/chat/messages?status=failed')).body).toMatchObject([{ job_id: refused.job.id }]);
    const page = await person.get('/chat/messages?limit=2');
    const next = await person.get(/^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? '');
    expect([page.body.length, next.body]).toEqual([2, [body[2]]]);
    expectError(await person.get('/chat/messages?status=bounced'), 400, 'validation_failed');
    expectError(await person.get(`/sms/messages/${id}`), 404, 'not_found');
    const other = await register(api.call);
    expect((await other.get('/chat/messages')).body).toEqual([]);
    expectError(await other.get(`/chat/messages/${id}`), 404, 'not_found');
  });

  it('a deleted job leaves its message without the text and the parameters', async () => {
    await startWhatsapp();
    const text = await runToEnd(person, 'send_chat_message', TEXT);
    const template = await runToEnd(person, 'send_chat_message', { to: TEXT.to, template: TEMPLATE });
    for (const { job } of [text, template]) await person.delete(`/jobs/${job.id}`);

    expect((await person.get('/chat/messages')).body).toMatchObject([
      { message: null, template: 'order_ready', language: null, parameters: null, job_id: null },
      { message: null, template: null, job_id: null },
    ]);
  });

  it('a message that was sent is not sent again by a retry of its job', async () => {
    const provider = await startWhatsapp((request, n) => ({
      ...takesMessage(request, n),
      delayMs: n === 1 ? 3_600_000 : 0,
    }));
    const id = await submitJob(person, 'send_chat_message', TEXT, { max_retries: 1 });
    await until('the call', () => provider.received.length === 1);
    await world.db.$executeRaw`UPDATE messages SET sent_at = now(), status = 'sent', provider_message_id = 'wamid.1'`;
    await provider.close();

    const { job, result } = await finishedJob(person, id);

    expect(job).toMatchObject({ status: 'done', retries: 0 });
    expect(result.result).toMatchObject({ provider: 'whatsapp', provider_message_id: 'wamid.1' });
    expect(provider.received).toHaveLength(1);
  });
});
