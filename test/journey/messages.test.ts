import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  linesOf,
  type Person,
  register,
  runToEnd,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';
import {
  africasTalkingAt,
  CALLBACKS,
  idIn,
  postEvents,
  sendgridAt,
  takesEmail,
  takesSms,
} from '../messages/support.js';

let world: World;
let api: TestApi;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  api = await world.api({ settings: { callbacks: CALLBACKS } });
  person = await register(api.call);
});
afterEach(() => world.end());

const EMAIL = { to: 'ada@example.com', subject: 'Hello', body: 'Hi' };
const messages = async () => (await person.get('/email/messages')).body;

it('an email job ends with its provider’s id, and its message is in the history', async () => {
  const provider = await world.receiver(takesEmail);
  await world.worker({ providers: sendgridAt(provider.url) });

  const story = await runToEnd(person, 'send_email', EMAIL);

  const id = idIn(provider.received[0]);
  expect(story.result.result).toEqual({ provider: 'sendgrid', message_id: id, provider_message_id: 'sg-1' });
  expect(linesOf(story)).toContain('1 info sendgrid accepted the email as sg-1');
  expect(await messages()).toMatchObject([
    { id, status: 'sent', provider: 'sendgrid', from: 'Acme <hello@acme.example>', job_id: story.job.id, error: null },
  ]);
});

it.each([
  [
    '<h1>Hello</h1><p>Your order <a href="https://shop.example/1">is here</a>.</p>',
    'HELLO\n\nYour order is here [https://shop.example/1].',
  ],
  ['Just text, 1 < 2', null],
])('an email of %j has a text part', async (body, text) => {
  const provider = await world.receiver(takesEmail);
  await world.worker({ providers: sendgridAt(provider.url) });
  await runToEnd(person, 'send_email', { ...EMAIL, body });
  const parts =
    text === null
      ? [['text/plain', body]]
      : [
          ['text/plain', text],
          ['text/html', body],
        ];
  expect(JSON.parse(provider.received[0]?.text ?? '').content).toEqual(parts.map(([type, value]) => ({ type, value })));
});

it('each attempt names the fields of the payload that its built-in type ignores', async () => {
  const provider = await world.receiver((request, n) => (n === 1 ? { status: 503, body: '' } : takesEmail(request, n)));
  await world.worker({ providers: sendgridAt(provider.url) });
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`x${n}`, n]));

  const story = await runToEnd(
    person,
    'send_email',
    { ...EMAIL, priority: 1, attachment: 'a.pdf', ...many },
    { max_retries: 1 },
  );

  const names = ['priority', 'attachment', ...Object.keys(many).slice(0, 18)].join(', ');
  expect(linesOf(story).filter((line) => line.includes('ignored'))).toEqual([
    `1 warn ignored: ${names}`,
    `2 warn ignored: ${names}`,
  ]);
  const plain = await runToEnd(person, 'send_email', EMAIL);
  expect(linesOf(plain).join()).not.toContain('ignored');
});

it("an SMS that its provider refuses is retried as the same message, and the log has the provider's words", async () => {
  const refused = {
    statusCode: 405,
    status: 'InsufficientBalance',
    messageId: 'None',
    number: '+254711000111',
    cost: '0',
  };
  const provider = await world.receiver((request, n) =>
    n <= 2
      ? { status: 201, body: JSON.stringify({ SMSMessageData: { Message: '', Recipients: [refused] } }) }
      : takesSms(request, n),
  );
  await world.worker({ providers: africasTalkingAt(provider.url) });

  const story = await runToEnd(
    person,
    'send_sms',
    { to: '+254711000111', message: 'x'.repeat(161) },
    { max_retries: 3 },
  );

  expect(story.job).toMatchObject({ status: 'done', retries: 2 });
  expect(story.result.result).toEqual({
    provider: 'africastalking',
    message_id: expect.any(String),
    provider_message_id: 'ATPid_3',
    segments: 2,
  });
  expect(linesOf(story).join('\n')).toMatch(/1 error .*InsufficientBalance/);
  const { body } = await person.get('/sms/messages');
  expect(body).toMatchObject([{ id: story.result.result.message_id, status: 'sent', segments: 2, error: null }]);
});

it('a page of SMS ends early if their texts are long, and the next page has the others', async () => {
  await world.db.$executeRaw`
    INSERT INTO messages (id, org_id, channel, status, provider, recipient, body, called_at, created_at, updated_at)
    SELECT gen_random_uuid(), ${person.orgId}::uuid, 'sms', 'sent', 'test', n::text, repeat('x', 700000), now(),
      now() + n * interval '1 ms', now()
    FROM generate_series(1, 5) AS n`;
  const recipients = (page: { to: string }[]) => page.map(({ to }) => to);

  const first = await person.get('/sms/messages?limit=10');
  expect(recipients(first.body)).toEqual(['5', '4', '3']);
  const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const last = await person.get(next);
  expect(recipients(last.body)).toEqual(['2', '1']);
  expect(last.headers.get('link')).toBeNull();
});

it('a message whose job has used its retries is failed, with the reason', async () => {
  const provider = await world.receiver(() => ({ status: 400, body: '{"errors":[{"message":"no such mailbox"}]}' }));
  await world.worker({ providers: sendgridAt(provider.url) });

  const story = await runToEnd(person, 'send_email', EMAIL, { max_retries: 1 });

  expect(story.job).toMatchObject({ status: 'failed', retries: 1 });
  expect(story.result.error.code).toBe('provider_rejected');
  expect(await messages()).toMatchObject([
    { status: 'failed', error: { code: 'provider_rejected', message: expect.stringContaining('no such mailbox') } },
  ]);
});

it('a suppressed recipient fails the job at once, without a request to the provider', async () => {
  const provider = await world.receiver(takesEmail);
  await world.worker({ providers: sendgridAt(provider.url) });
  await runToEnd(person, 'send_email', EMAIL);
  const bounce = {
    event: 'bounce',
    type: 'bounce',
    sg_event_id: randomUUID(),
    jl_message_id: idIn(provider.received[0]),
  };
  await postEvents(api.call, [bounce]);

  const story = await runToEnd(person, 'send_email', { ...EMAIL, to: 'ADA@example.com' }, { max_retries: 3 });

  expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
  expect(story.result.error.code).toBe('suppressed');
  expect(provider.received).toHaveLength(1);
});

it('an attempt that lost its provider’s response is not repeated once feedback says that the email was sent', async () => {
  const provider = await world.receiver((request, n) => ({
    ...takesEmail(request, n),
    delayMs: n === 1 ? 3_600_000 : 0,
  }));
  await world.worker({ providers: sendgridAt(provider.url), retryBaseMs: 10 });
  const id = await submitJob(person, 'send_email', EMAIL, { max_retries: 2 });
  await until('the call', () => provider.received.length === 1);
  const messageId = idIn(provider.received[0]);

  await postEvents(api.call, [
    { event: 'processed', sg_event_id: 'e1', sg_message_id: 'sg-1.x', jl_message_id: messageId },
  ]);
  await provider.close();

  const story = await finishedJob(person, id);
  expect(story.job).toMatchObject({ status: 'done', retries: 0 });
  expect(story.result.result).toEqual({ provider: 'sendgrid', message_id: messageId, provider_message_id: 'sg-1' });
  expect(provider.received).toHaveLength(1);
  expect(await messages()).toMatchObject([{ id: messageId, status: 'sent', error: null }]);
});
