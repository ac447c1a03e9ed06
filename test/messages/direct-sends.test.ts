import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addMember, expectError, newKey } from '../api/support.js';
import {
  createWorld,
  type Person,
  type Received,
  type Receiver,
  type Reply,
  register,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';
import {
  africasTalkingAt,
  CALLBACKS,
  idIn,
  postEvents,
  postReport,
  sendgridAt,
  takesEmail,
  takesSms,
} from './support.js';

let world: World;
let mail: Receiver;
let phones: Receiver;
let api: TestApi;
let person: Person;
/** The response of the email provider. By default it accepts everything. */
let answer: (request: Received, n: number) => Reply;

beforeAll(async () => {
  world = await createWorld();
  mail = await world.receiver((request, n) => answer(request, n));
  phones = await world.receiver(takesSms);
  api = await world.api({
    settings: { callbacks: CALLBACKS },
    providers: { ...sendgridAt(mail.url), ...africasTalkingAt(phones.url) },
    directTimes: { callMs: 1_500, deadMs: 2_000, duplicateWaitMs: 10_000 },
  });
});
afterAll(() => world.end());
beforeEach(async () => {
  answer = takesEmail;
  mail.received.length = 0;
  phones.received.length = 0;
  person = await register(api.call);
  await until('the email of the registration', () => mail.received.length > 0);
  mail.received.length = 0;
});

const EMAIL = { to: 'Ada@example.com', subject: 'Hello', body: '<p>Hi</p>' };
const sendEmail = (more: object = {}, key?: string) =>
  person.post('/email/send', { ...EMAIL, ...more }, key === undefined ? {} : { headers: { 'Idempotency-Key': key } });

describe('an email sent directly', () => {
  it('has been accepted by the provider when the response arrives, and is in the history', async () => {
    const sent = await sendEmail();

    expect([sent.status, sent.body]).toEqual([
      200,
      {
        id: expect.any(String),
        status: 'sent',
        to: 'Ada@example.com',
        from: 'Acme <hello@acme.example>',
        subject: 'Hello',
        provider: 'sendgrid',
        provider_message_id: 'sg-1',
      },
    ]);
    expect(idIn(mail.received[0])).toBe(sent.body.id);
    const types = JSON.parse(mail.received[0]?.text ?? '').content.map(({ type }: { type: string }) => type);
    expect(types).toEqual(['text/plain', 'text/html']);
    const history = await person.get(`/email/messages/${sent.body.id}`);
    expect(history.body).toMatchObject({ ...sent.body, body: '<p>Hi</p>', job_id: null, error: null, events: [] });
    expect((await person.get('/email/messages?status=sent')).body).toHaveLength(1);
    expect((await person.get('/email/messages?status=failed')).body).toEqual([]);
    expect((await person.get('/sms/messages')).body).toEqual([]);
  });

  it('is invisible to other organizations', async () => {
    const { id } = (await sendEmail()).body;
    const other = await register(api.call);

    expectError(await other.get(`/email/messages/${id}`), 404, 'not_found');
    expectError(await person.get(`/sms/messages/${id}`), 404, 'not_found');
    expect((await other.get('/email/messages')).body).toEqual([]);
  });

  it('fails with 502 and the message of the provider if the provider rejects it', async () => {
    answer = () => ({ status: 400, body: JSON.stringify({ errors: [{ message: 'no such mailbox' }] }) });

    const refused = await sendEmail({}, 'refused');

    expectError(refused, 502, 'provider_error');
    expect(refused.body.error.message).toContain('no such mailbox');
    const [message] = (await person.get('/email/messages')).body;
    expect(message).toMatchObject({ status: 'failed', error: { code: 'provider_rejected' } });
    // A key is used up only by a message that was sent.
    answer = takesEmail;
    expect((await sendEmail({}, 'refused')).status).toBe(200);
  });

  it('is not passed to the provider for a suppressed recipient', async () => {
    const { id } = (await sendEmail()).body;
    await postEvents(api.call, [{ event: 'spamreport', sg_event_id: randomUUID(), jl_message_id: id }]);

    expectError(await sendEmail({ to: 'aDA@example.com' }), 403, 'suppressed');

    expect(mail.received).toHaveLength(1);
    expect((await (await register(api.call)).post('/email/send', EMAIL)).status).toBe(200);
  });

  it('is rejected if its sender domain is not verified', async () => {
    expectError(await sendEmail({ from: 'ceo@example.com' }), 403, 'sender_domain_not_verified', ['from']);
    expect(mail.received).toHaveLength(0);
  });

  it('is rejected with all issues of the request', async () => {
    const invalid = await sendEmail({ to: 'no address', subject: 'a\r\nBcc: x@example.com', body: '\u0000', cc: 1 });

    expectError(invalid, 400, 'validation_failed', ['to', 'subject', 'body', 'cc']);
  });

  it('can be sent and read by users of any role, and with an API key that has the scopes', async () => {
    const member = await addMember(world, api, person.orgId, 'member');
    const { key } = await newKey(person);
    const { key: mailer } = await newKey(person, 'mailer', { scopes: ['messages:read', 'messages:send'] });

    const { id } = (await member.post('/email/send', EMAIL)).body;

    expect((await member.get(`/email/messages/${id}`)).status).toBe(200);
    expectError(await api.call('POST', '/email/send', { key, body: EMAIL }), 403, 'forbidden');
    expectError(await api.call('GET', '/email/messages', { key }), 403, 'forbidden');
    expect((await api.call('POST', '/email/send', { key: mailer, body: EMAIL })).status).toBe(200);
    expect((await api.call('GET', `/email/messages/${id}`, { key: mailer })).status).toBe(200);
    expectError(await member.get('/org/suppressions'), 403, 'forbidden');
  });
});

describe('a direct send with an Idempotency-Key', () => {
  it('sends once for 20 concurrent requests, and all get the same response', async () => {
    answer = (request, n) => ({ ...takesEmail(request, n), delayMs: 300 });

    const answers = await Promise.all(Array.from({ length: 20 }, () => sendEmail({}, 'once')));

    expect(mail.received).toHaveLength(1);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.has('idempotent-replayed'))).toHaveLength(19);
    expect(await world.db.message.count({ where: { orgId: person.orgId } })).toBe(1);
  });

  it('returns the current status when repeated, and is rejected with different content', async () => {
    const { id } = (await sendEmail({}, 'again')).body;
    await postEvents(api.call, [{ event: 'delivered', sg_event_id: randomUUID(), jl_message_id: id }]);

    const again = await sendEmail({}, 'again');

    expect([again.status, again.body.id, again.body.status]).toEqual([200, id, 'delivered']);
    expectError(await sendEmail({ subject: 'Other' }, 'again'), 422, 'idempotency_key_reused');
    const job = { type: 'custom', payload: {} };
    expectError(
      await person.post('/jobs', job, { headers: { 'Idempotency-Key': 'again' } }),
      422,
      'idempotency_key_reused',
    );
    expect(mail.received).toHaveLength(1);
  });

  it('is reported as unknown and not repeated after it died during its call, until feedback shows that it was sent', async () => {
    answer = () => ({ delayMs: 3_600_000 });
    const dying = sendEmail({}, 'dying').catch(() => undefined);
    await until('the call', () => mail.received.length === 1);
    const id = idIn(mail.received[0]);
    // Simulates that the process has ended: the result of the call is not recorded.
    await world.db.message.update({ where: { id }, data: { calling: 99 } });
    await dying;

    const asked = await sendEmail({}, 'dying');

    expectError(asked, 502, 'unknown_effect');
    expect(mail.received).toHaveLength(1);
    await postEvents(api.call, [{ event: 'processed', sg_event_id: randomUUID(), jl_message_id: id }]);
    const reported = await sendEmail({}, 'dying');
    expect([reported.status, reported.body.id, reported.body.status]).toEqual([200, id, 'sent']);
    expect(mail.received).toHaveLength(1);
  });

  it('is not repeated if the provider did not answer in time', async () => {
    answer = () => ({ delayMs: 3_600_000 });

    expectError(await sendEmail({}, 'late'), 502, 'provider_error');
    expectError(await sendEmail({}, 'late'), 502, 'unknown_effect');

    expect(mail.received).toHaveLength(1);
    const [message] = (await person.get('/email/messages')).body;
    expect(message).toMatchObject({ status: 'queued', error: { code: 'unknown_effect' } });
  });
});

describe('an SMS sent directly', () => {
  it('is counted in segments of 160 characters', async () => {
    const sent = await person.post('/sms/send', { to: '+254711000111', message: 'ä'.repeat(161) });

    expect([sent.status, sent.body]).toEqual([
      200,
      {
        id: expect.any(String),
        status: 'sent',
        to: '+254711000111',
        from: null,
        segments: 2,
        provider: 'africastalking',
        provider_message_id: 'ATPid_1',
      },
    ]);
    const listed = (await person.get('/sms/messages')).body;
    expect(listed).toMatchObject([{ ...sent.body, message: 'ä'.repeat(161), job_id: null, error: null }]);
  });

  it('requires a number in E.164 format and a registered sender id', async () => {
    const message = 'hi';
    for (const to of ['0711000111', '254711000111', '+0711000111', '+2547110001110000', '+254 711 000 111', '+2547x']) {
      expectError(await person.post('/sms/send', { to, message }), 400, 'validation_failed', ['to']);
    }
    const answered = await person.post('/sms/send', { to: '+254711000111', message, from: 'BANK' });
    expectError(answered, 403, 'sender_not_registered', ['from']);
    expect(phones.received).toHaveLength(0);
  });

  it('shows its delivery report even if it arrived before the result of the call was recorded', async () => {
    const id = `ATPid_${randomUUID()}`;
    const provider = await world.receiver((request) => {
      const { body } = takesSms(request, 1);
      return { status: 201, body: String(body).replace('ATPid_1', id) };
    });
    const other = await world.api({ settings: { callbacks: CALLBACKS }, providers: africasTalkingAt(provider.url) });
    await postReport(other.call, { id, status: 'Success' });

    const { token } = person;
    const sent = await other.call('POST', '/sms/send', { token, body: { to: '+254711000111', message: 'hi' } });

    expect(sent.body).toMatchObject({ provider_message_id: id, status: 'delivered' });
    expect((await person.get(`/sms/messages/${sent.body.id}`)).body.events).toMatchObject([{ event: 'Success' }]);
  });
});

it('no delivery report is lost, even if it arrives at the same time as the answer of the provider', async () => {
  const reports: Promise<unknown>[] = [];
  const provider = await world.receiver((request, n) => {
    const answered = takesSms(request, n);
    const id = `ATPid_${randomUUID()}`;
    const report = () => void reports.push(postReport(api.call, { id, status: 'Success' }));
    setTimeout(report, n % 10);
    return { ...answered, body: String(answered.body).replace(`ATPid_${n}`, id), delayMs: 5 };
  });
  const fast = await world.api({ providers: africasTalkingAt(provider.url) });
  const { token } = person;
  const body = { to: '+254711000111', message: 'hi' };

  for (let round = 0; round < 10; round++) {
    await Promise.all(Array.from({ length: 20 }, () => fast.call('POST', '/sms/send', { token, body })));
  }
  await until('all reports', () => reports.length === 200);
  await Promise.all(reports);

  const statuses = (await person.get('/sms/messages')).body.map(({ status }: { status: string }) => status);
  expect(new Set(statuses)).toEqual(new Set(['delivered']));
  expect((await person.get('/sms/messages?status=delivered&limit=1000')).body).toHaveLength(200);
});

it('pages of the message history keep their order and lose nothing', async () => {
  for (let n = 0; n < 5; n++) await sendEmail({ subject: `n${n}` });

  const first = await person.get('/email/messages?limit=3');
  const second = await person.get(`/email/messages?limit=3&cursor=${first.headers.get('x-next-cursor')}`);

  const subjects = [...first.body, ...second.body].map(({ subject }: { subject: string }) => subject);
  expect(subjects).toEqual(['n4', 'n3', 'n2', 'n1', 'n0']);
  expect(second.headers.get('x-next-cursor')).toBeNull();
});

it('the sandbox sends nothing and the response says so', async () => {
  const sandbox = await world.api();
  const { token } = person;

  const sms = await sandbox.call('POST', '/sms/send', { token, body: { to: '+254711000111', message: 'hi' } });
  const email = await sandbox.call('POST', '/email/send', { token, body: EMAIL });

  for (const { status, body } of [sms, email]) {
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'sent', provider: 'sandbox', provider_message_id: null });
  }
  expect([mail.received.length, phones.received.length]).toEqual([0, 0]);
});
