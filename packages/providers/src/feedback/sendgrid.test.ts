import { describe, expect, test } from 'vitest';
import { readSendgridEvents } from './sendgrid.js';

const ID = '01910e5c-2f3a-7000-8000-000000000001';

function read(...entries: unknown[]) {
  return readSendgridEvents({
    body: Buffer.from(JSON.stringify(entries)),
    headers: {},
    url: '',
    query: new URLSearchParams(),
  });
}

const meaning = (entry: object) => {
  const [event] = read({ jl_message_id: ID, sg_event_id: 'e', ...entry })?.events ?? [];
  return [event?.status, event?.suppresses];
};

describe('an event of SendGrid means', () => {
  test.each<[object, string | null, string | null]>([
    [{ event: 'processed' }, 'sent', null],
    [{ event: 'deferred' }, null, null],
    [{ event: 'delivered' }, 'delivered', null],
    [{ event: 'open' }, null, null],
    [{ event: 'click' }, null, null],
    [{ event: 'bounce', type: 'bounce' }, 'bounced', 'bounce'],
    [{ event: 'bounce', type: 'blocked' }, 'bounced', null],
    [{ event: 'bounce', status: '5.1.1' }, 'bounced', 'bounce'],
    [{ event: 'bounce', status: '4.2.2' }, 'bounced', null],
    [{ event: 'dropped', reason: 'Bounced Address' }, 'bounced', 'bounce'],
    [{ event: 'dropped', reason: 'Spam Reporting Address' }, 'failed', 'complaint'],
    [{ event: 'dropped', reason: 'Invalid' }, 'failed', null],
    [{ event: 'dropped' }, 'failed', null],
    [{ event: 'spamreport' }, 'complained', 'complaint'],
    [{ event: 'unsubscribe' }, null, null],
    [{ event: 'something-new' }, null, null],
  ])('%j: %s, suppresses %s', (entry, status, suppresses) => {
    expect(meaning(entry)).toEqual([status, suppresses]);
  });
});

test('an event names its message by our id, or by the part of the SendGrid id before the first dot', () => {
  const event = { event: 'delivered', sg_event_id: 'e', timestamp: 1_700_000_000, response: '250 OK' };

  const read_ = read({ ...event, jl_message_id: ID.toUpperCase(), sg_message_id: 'abc.recvd-7.0' });

  expect(read_).toEqual({
    unreadableCount: 0,
    events: [
      {
        eventId: 'e',
        messageId: ID,
        providerMessageId: 'abc',
        kind: 'delivered',
        status: 'delivered',
        reason: '250 OK',
        suppresses: null,
        occurredAt: new Date('2023-11-14T22:13:20Z'),
      },
    ],
  });
});

test('an unreadable entry is counted without losing others, and an event without a message is left out', () => {
  const good = { event: 'delivered', jl_message_id: ID };
  const odd = {
    event: 'delivered',
    jl_message_id: 'no uuid',
    sg_message_id: 'abc',
    timestamp: 'soon',
    reason: { a: 1 },
  };

  const { events, unreadableCount } =
    read(null, 1, 'x', [], { event: 1 }, good, odd, { event: 'account_status_change' }) ?? {};

  expect(unreadableCount).toBe(5);
  expect(events).toMatchObject([
    { messageId: ID },
    { messageId: null, providerMessageId: 'abc', occurredAt: null, reason: null },
  ]);
});

test('an event without an id is identified by its content', () => {
  const one = { event: 'delivered', jl_message_id: ID };
  const ids = read(one, { ...one, timestamp: 1 }, one)?.events.map(({ eventId }) => eventId);

  expect(ids?.[0]).toBe(ids?.[2]);
  expect(ids?.[0]).not.toBe(ids?.[1]);
});

test.each(['', 'x', '{}', '"x"', 'null', '[', '7'])('%j is no batch', (body) => {
  expect(
    readSendgridEvents({ body: Buffer.from(body), headers: {}, url: '', query: new URLSearchParams() }),
  ).toBeNull();
});
