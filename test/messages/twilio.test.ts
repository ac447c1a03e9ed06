import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { expectError } from '../api/support.js';
import {
  createWorld,
  finishedJob,
  type Person,
  type Received,
  type Reply,
  register,
  runToEnd,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';

/** The parts of Twilio's protocol that these tests need. */

const TOKEN = 'the auth token of the account';
const PUBLIC_URL = 'https://jobs.example.com/base';
const SMS = { to: '+14155550111', message: 'Hello' };
/** Fields that Twilio sends with every status and that nothing reads. */
const MORE = { AccountSid: 'AC1', ApiVersion: '2010-04-01', From: '+14155550100', To: SMS.to, SmsSid: 'SM1' };

let world: World;
let api: TestApi;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  api = await world.api({ settings: { publicUrl: PUBLIC_URL, callbacks: { SMS_WEBHOOK_SECRET: TOKEN } } });
  person = await register(api.call);
});
afterEach(() => world.end());

function twilioAt(url: string): Record<string, string> {
  return {
    SMS_PROVIDER: 'twilio',
    SMS_ACCOUNT_SID: 'AC1',
    SMS_USERNAME: 'SK1',
    SMS_API_KEY: 'secret',
    SMS_DEFAULT_FROM: '+14155550100',
    SMS_BASE_URL: url,
    PUBLIC_URL,
  };
}

function takesSms(_request: Received, n: number): Reply {
  return { status: 201, body: JSON.stringify({ sid: `SM${n}`, status: 'queued' }) };
}

/** The address that Twilio was given for the status of the message. */
function callbackOf(request: Received | undefined): string {
  return new URLSearchParams(request?.text).get('StatusCallback') ?? '';
}

interface Report {
  /** The address of the callback. */
  to: string;
  /** The URL that is signed; absent: the same. */
  signed?: string;
  token?: string;
  signature?: string;
}

/** Posts a status as Twilio does. The proxy in front of the API has removed the path of PUBLIC_URL. */
function report(fields: Record<string, string>, { to, signed = to, token = TOKEN, signature }: Report) {
  const form = { ...MORE, ...fields };
  const names = Object.keys(form).sort() as (keyof typeof form)[];
  const text = signed + names.map((name) => name + form[name]).join('');
  const computed = createHmac('sha1', token).update(text).digest('base64');
  return api.call('POST', to.replace(PUBLIC_URL, ''), {
    raw: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'X-Twilio-Signature': signature ?? computed },
  });
}

async function sent() {
  const provider = await world.receiver(takesSms);
  await world.worker({ providers: twilioAt(provider.url) });
  const { result } = await runToEnd(person, 'send_sms', SMS);
  expect(result.result).toMatchObject({ provider: 'twilio', provider_message_id: 'SM1' });
  const read = async () => (await person.get(`/sms/messages/${result.result.message_id}`)).body;
  return { to: callbackOf(provider.received[0]), read };
}

it('statuses of Twilio raise the status of an SMS and never lower it', async () => {
  const { to, read } = await sent();

  for (const MessageStatus of ['queued', 'delivered', 'sent', 'failed', 'delivered']) {
    expect((await report({ MessageSid: 'SM1', MessageStatus }, { to })).status).toBe(200);
  }

  const { status, error, events } = await read();
  expect({ status, error }).toEqual({ status: 'delivered', error: null });
  expect(events.map(({ event }: { event: string }) => event)).toEqual(['queued', 'delivered', 'sent', 'failed']);
});

it('an undelivered SMS is failed, with the error of Twilio', async () => {
  const { to, read } = await sent();

  await report({ MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode: '30003' }, { to });

  expect(await read()).toMatchObject({
    status: 'failed',
    error: { code: 'provider_rejected', message: 'Twilio error 30003' },
  });
});

it('the signature of Twilio may cover the public address with its port, and any query', async () => {
  const { to, read } = await sent();
  const fields = { MessageSid: 'SM1', MessageStatus: 'sent' };
  const withPort = (url: string) => url.replace('example.com', 'example.com:443');
  const ours = `${PUBLIC_URL}/webhooks/twilio`;

  expect((await report(fields, { to, signed: withPort(to) })).status).toBe(200);
  expect((await report(fields, { to: ours })).status).toBe(200);
  expect((await report(fields, { to: `${ours}?more=%2F&more=a+b&message=x&message=y` })).status).toBe(200);
  expect((await report({ ...fields, MessageStatus: 'delivered' }, { to: ours, signed: withPort(ours) })).status).toBe(
    200,
  );

  expect((await read()).status).toBe('delivered');
});

it('a status without a valid signature changes nothing', async () => {
  const { to, read } = await sent();
  const fields = { MessageSid: 'SM1', MessageStatus: 'delivered' };
  const { call } = await world.api({ settings: { publicUrl: PUBLIC_URL } });

  const wrong: Report[] = [
    { to, token: 'another token' },
    { to, signature: '' },
    { to, signed: `${to}&more=1` },
    { to: `${to}&more=1`, signed: to },
    { to, signed: to.replace('jobs.', 'other.') },
    { to, signed: to.replace('https', 'http') },
  ];
  for (const one of wrong) expectError(await report(fields, one), 401, 'unauthenticated');
  expectError(await api.call('POST', '/webhooks/twilio', { raw: '' }), 401, 'unauthenticated');
  expectError(
    await call('POST', '/webhooks/twilio', { raw: 'a=b', headers: { 'X-Twilio-Signature': 'x' } }),
    401,
    'unauthenticated',
  );
  expectError(await report({ MessageStatus: 'delivered' }, { to }), 400, 'validation_failed');

  expect((await read()).status).toBe('sent');
});

it('an SMS whose response was lost is not sent again once Twilio has reported it', async () => {
  const provider = await world.receiver((request, n) => ({
    ...takesSms(request, n),
    delayMs: n === 1 ? 3_600_000 : 0,
  }));
  await world.worker({ providers: twilioAt(provider.url), retryBaseMs: 10 });
  const id = await submitJob(person, 'send_sms', SMS, { max_retries: 2 });
  await until('the call', () => provider.received.length === 1);

  await report({ MessageSid: 'SM1', MessageStatus: 'sent' }, { to: callbackOf(provider.received[0]) });
  await provider.close();

  const { job, result } = await finishedJob(person, id);
  expect(job).toMatchObject({ status: 'done', retries: 0 });
  expect(result.result).toMatchObject({ provider: 'twilio', provider_message_id: 'SM1' });
  expect(provider.received).toHaveLength(1);
});
