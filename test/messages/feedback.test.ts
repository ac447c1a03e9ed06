import { generateKeyPairSync, randomInt, randomUUID } from 'node:crypto';
import { EMAIL_STATUSES, type MessageStatus } from '@jobline/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectError, keepingLogger, type LogLine } from '../api/support.js';
import { createWorld, type Person, register, type TestApi, type World } from '../harness/index.js';
import { CALLBACKS, postEvents, postReport, SMS_SECRET, signatureOf, storeMessages } from './support.js';

let world: World;
let api: TestApi;
let person: Person;
let lines: LogLine[];

beforeAll(async () => {
  world = await createWorld();
  const keeping = keepingLogger();
  lines = keeping.lines;
  api = await world.api({ settings: { callbacks: CALLBACKS }, log: keeping.log });
});
afterAll(() => world.end());
beforeEach(async () => {
  person = await register(api.call);
});

const emails = (count: number) =>
  storeMessages(world.db, person.orgId, count, { channel: 'email', provider: 'sendgrid' });
const texts = (count: number) =>
  storeMessages(world.db, person.orgId, count, { channel: 'sms', provider: 'africastalking' });

const event = (kind: string, id: string | undefined, more: object = {}) => ({
  event: kind,
  sg_event_id: randomUUID(),
  jl_message_id: id,
  email: 'user@example.com',
  timestamp: 1_795_000_000,
  ...more,
});
const statusOf = async (id: string | undefined) => (await person.get(`/email/messages/${id}`)).body.status;

describe('feedback on emails', () => {
  it('sets the right status of 1,000 messages for 2,000 events in any order, with repeats and unreadable entries', async () => {
    const ids = await emails(1_000);
    const kinds: Record<string, MessageStatus> = {
      processed: 'sent',
      dropped: 'failed',
      delivered: 'delivered',
      bounce: 'bounced',
      spamreport: 'complained',
      deferred: 'sent',
    };
    const events = ids.flatMap((id, n) =>
      [0, 1].map(() => {
        const kind = Object.keys(kinds)[randomInt(6)] ?? '';
        // Half of the events contain only the id of the provider.
        return n % 2 ? event(kind, id) : event(kind, undefined, { sg_message_id: `${person.orgId}-${n}.recvd-1.0` });
      }),
    );
    const rank = (kind: string) => EMAIL_STATUSES.indexOf(kinds[kind] ?? 'queued');
    const expected = ids.map((_, n) => {
      const [one = '', other = ''] = events.slice(2 * n, 2 * n + 2).map(({ event: kind }) => kind);
      return EMAIL_STATUSES[Math.max(rank(one), rank(other))];
    });
    const bad = [null, 7, 'x', [], {}, { event: 5 }, { event: 'bounce', jl_message_id: "';--", sg_message_id: {} }];
    const shuffled = shuffle([...events, ...events]);
    const batches = Array.from({ length: 16 }, (_, n) => shuffle([...shuffled.slice(n * 250, n * 250 + 250), ...bad]));

    for (let n = 0; n < batches.length; n += 8) {
      const answers = await Promise.all(batches.slice(n, n + 8).map((batch) => postEvents(api.call, batch)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    }

    const rows = await world.db.message.findMany({ where: { orgId: person.orgId }, orderBy: { id: 'asc' } });
    const found = new Map(rows.map(({ id, status }) => [id, status]));
    expect(ids.map((id) => found.get(id))).toEqual(expected);
    expect(await world.db.messageEvent.count({ where: { messageId: { in: ids.slice(0, 500) } } })).toBe(1_000);
    const suppressed = ids.filter((_, n) =>
      events.slice(2 * n, 2 * n + 2).some(({ event: kind }) => /bounce|spam/.test(kind)),
    );
    expect(await world.db.suppression.count({ where: { orgId: person.orgId } })).toBe(suppressed.length);
  });

  it('is shown with the message, in the order of arrival', async () => {
    const [id] = await emails(1);

    await postEvents(api.call, [event('bounce', id, { type: 'blocked', reason: '550 5.7.1\r\nnot now' })]);
    await postEvents(api.call, [event('processed', id)]);

    expect((await person.get(`/email/messages/${id}`)).body).toMatchObject({
      status: 'bounced',
      error: { code: 'bounced', message: '550 5.7.1 not now' },
      events: [
        { event: 'bounce', status: 'bounced', reason: '550 5.7.1 not now', occurred_at: '2026-11-18T11:06:40.000Z' },
        { event: 'processed', status: 'sent' },
      ],
    });
  });

  it('suppresses recipients after a hard bounce or a complaint, in the organization of the message', async () => {
    const other = await register(api.call);
    const [blocked, bounced, complained] = await emails(3);

    await postEvents(api.call, [
      event('bounce', blocked, { type: 'blocked' }),
      event('bounce', bounced, { type: 'bounce' }),
      event('spamreport', complained),
    ]);

    const { body } = await person.get('/org/suppressions');
    expect(body.map(({ address, reason }: Record<string, string>) => `${address} ${reason}`).sort()).toEqual([
      'user1@example.com bounce',
      'user2@example.com complaint',
    ]);
    const ofAddress = async (someone: Person) =>
      (await someone.get('/org/suppressions?address=USER1@example.com')).body.map(
        ({ address }: Record<string, string>) => address,
      );
    expect([await ofAddress(person), await ofAddress(other)]).toEqual([['user1@example.com'], []]);
    expect((await other.get('/org/suppressions')).body).toEqual([]);
    const [{ id }] = body;
    expectError(await api.call('DELETE', `/org/suppressions/${id}`, { token: other.token }), 404, 'not_found');
    expect((await api.call('DELETE', `/org/suppressions/${id}`, { token: person.token })).status).toBe(204);
    expectError(await api.call('DELETE', `/org/suppressions/${id}`, { token: person.token }), 404, 'not_found');
    // A repeated event suppresses no recipient again.
    await postEvents(api.call, [event('processed', bounced), event('processed', complained)]);
    expect((await person.get('/org/suppressions')).body).toHaveLength(1);
  });

  it('on unknown messages is answered with 200, stored and logged', async () => {
    lines.length = 0;

    const answer = await postEvents(api.call, [
      event('delivered', randomUUID()),
      event('account_status_change', undefined),
    ]);

    expect([answer.status, answer.body]).toEqual([200, { received: 1 }]);
    expect(lines.filter(({ message }) => message.includes('unknown messages'))).toHaveLength(1);
  });

  it('changes nothing without a valid signature of the provider over exactly these bytes', async () => {
    const [id] = await emails(1);
    const body = JSON.stringify([event('delivered', id)]);
    const right = signatureOf(body);
    const [signature = '', timestamp = ''] = Object.keys(right);
    const stranger = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
    const wrong: [string, Record<string, string>][] = [
      [body, {}],
      [body, { [signature]: right[signature] ?? '' }],
      [body, { [timestamp]: right[timestamp] ?? '' }],
      [body, { ...right, [signature]: 'AAAA' }],
      [body, { ...right, [signature]: Buffer.alloc(64).toString('base64') }],
      [body, { ...right, [timestamp]: `${right[timestamp]}0` }],
      [body, signatureOf(body, stranger)],
      [`${body} `, right],
      [body.replace('delivered', 'bounce'), right],
    ];

    for (const [sent, headers] of wrong) {
      expectError(await postEvents(api.call, sent, headers), 401, 'unauthenticated');
    }

    expect(await statusOf(id)).toBe('sent');
    expect(await world.db.messageEvent.count({ where: { messageId: id ?? '' } })).toBe(0);
    expect((await postEvents(api.call, body, right)).status).toBe(200);
    expect(await statusOf(id)).toBe('delivered');
  });

  it('is rejected if it is not an array, is too large, or its authentication is not configured', async () => {
    const unconfigured = await world.api();

    expectError(await postEvents(api.call, '{"event":"delivered"}'), 400, 'validation_failed');
    expectError(await postEvents(api.call, 'no json'), 400, 'validation_failed');
    expectError(await postEvents(api.call, `[${' '.repeat(2 * 1024 * 1024)}]`), 413, 'payload_too_large');
    expectError(await postEvents(unconfigured.call, []), 401, 'unauthenticated');
    expectError(await api.call('POST', '/webhooks/unknown', { raw: '{}' }), 404, 'not_found');
  });
});

describe('delivery reports on SMS', () => {
  it('raise the status and never lower it, each counted once', async () => {
    const [one, two] = await texts(2);
    const report = (n: number, status: string, more: object = {}) =>
      postReport(api.call, {
        id: `${person.orgId}-${n}`,
        status,
        phoneNumber: '+254711000111',
        networkCode: '63902',
        ...more,
      });

    for (const status of ['Success', 'Sent', 'Failed', 'Success']) expect((await report(0, status)).status).toBe(200);
    await report(1, 'AbsentSubscriber', { failureReason: 'UserDoesNotExist' });

    const first = (await person.get(`/sms/messages/${one}`)).body;
    expect(first).toMatchObject({ status: 'delivered', error: null });
    expect(first.events.map(({ event: kind }: { event: string }) => kind)).toEqual(['Success', 'Sent', 'Failed']);
    expect((await person.get(`/sms/messages/${two}`)).body).toMatchObject({
      status: 'failed',
      error: { code: 'provider_rejected', message: 'UserDoesNotExist' },
    });
    await report(1, 'Success');
    expect((await person.get(`/sms/messages/${two}`)).body).toMatchObject({ status: 'delivered', error: null });
  });

  it('are accepted with the previous secret, so that the secret can be changed without losing reports', async () => {
    const [id] = await texts(1);
    const callbacks = { SMS_WEBHOOK_SECRET: 'the new secret', SMS_WEBHOOK_SECRET_PREVIOUS: SMS_SECRET };
    const changed = await world.api({ settings: { callbacks } });
    const report = (status: string, secret: string) =>
      postReport(changed.call, { id: `${person.orgId}-0`, status }, secret);

    expect((await report('Sent', SMS_SECRET)).status).toBe(200);
    expect((await report('Success', 'the new secret')).status).toBe(200);
    expectError(await report('Success', 'neither'), 401, 'unauthenticated');

    expect((await person.get(`/sms/messages/${id}`)).body.status).toBe('delivered');
  });

  it('change nothing without the secret', async () => {
    const [id] = await texts(1);
    const form = { id: `${person.orgId}-0`, status: 'Success' };

    for (const secret of [null, '', 'wrong', `${CALLBACKS.SMS_WEBHOOK_SECRET} `]) {
      expectError(await postReport(api.call, form, secret), 401, 'unauthenticated');
    }

    expect((await person.get(`/sms/messages/${id}`)).body.status).toBe('sent');
    expectError(await postReport(api.call, { status: 'Success' }), 400, 'validation_failed');
    expect((await postReport(api.call, { ...form, id: 'of-unknown' })).status).toBe(200);
  });
});

function shuffle<T>(items: readonly T[]): T[] {
  const left = [...items];
  for (let n = left.length - 1; n > 0; n--) {
    const other = randomInt(n + 1);
    // The casts: both are indexes of the array.
    [left[n], left[other]] = [left[other] as T, left[n] as T];
  }
  return left;
}
