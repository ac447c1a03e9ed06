import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isSignedByWhatsapp, readWhatsappStatuses } from './whatsapp.js';

const SECRET = 'the secret of the app';

function callback(body: unknown, signature = '') {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { body: bytes, url: '', query: new URLSearchParams(), headers: { 'x-hub-signature-256': signature } };
}

const status = (more: object) => ({ id: 'wamid.1', status: 'sent', timestamp: '1750857384', ...more });

/** A notification as Meta sends it. */
function notification(...values: object[]) {
  const metadata = { display_phone_number: '15550783881', phone_number_id: '106540352242922' };
  const changes = values.map((value) => ({
    field: 'messages',
    value: { messaging_product: 'whatsapp', metadata, ...value },
  }));
  return { object: 'whatsapp_business_account', entry: [{ id: '102290129340398', changes }] };
}

const read = (body: unknown) => readWhatsappStatuses(callback(body));
const only = (more: object) => read(notification({ statuses: [status(more)] }))?.events[0];

test('the signature of Meta covers exactly the bytes of the body', () => {
  const body = '{"entry":[ ]}';
  const sign = (text: string, secret = SECRET) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;

  expect(isSignedByWhatsapp(callback(body, sign(body)), SECRET)).toBe(true);
  const wrong = [sign(`${body} `), sign(body, 'x'), sign(body).toUpperCase(), sign(body).replace('sha256=', ''), ''];
  for (const signature of wrong) expect(isSignedByWhatsapp(callback(body, signature), SECRET)).toBe(false);
  for (const secret of [undefined, '']) expect(isSignedByWhatsapp(callback(body, sign(body, '')), secret)).toBe(false);
});

describe('a status of WhatsApp', () => {
  test.each([
    ['sent', 'sent'],
    ['delivered', 'delivered'],
    ['read', 'delivered'],
    ['played', 'delivered'],
    ['failed', 'failed'],
    ['something-new', null],
  ])('with the name %s means %s', (name, meaning) => {
    expect(only({ status: name })?.status).toBe(meaning);
  });

  test('names its message by the id of WhatsApp, and says why it failed', () => {
    const error = {
      code: 131047,
      title: 'Re-engagement message',
      message: 'Re-engagement message',
      error_data: { details: 'More than 24 hours have passed\nsince the last reply.' },
      href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
    };

    expect(only({ status: 'failed', errors: [error], recipient_id: '254712345678' })).toEqual({
      eventId: 'wamid.1:failed',
      messageId: null,
      providerMessageId: 'wamid.1',
      kind: 'failed',
      status: 'failed',
      reason: 'Re-engagement message: More than 24 hours have passed since the last reply. (131047)',
      suppresses: null,
      occurredAt: new Date('2025-06-25T13:16:24Z'),
    });
  });

  test.each([
    [131026, 'Message undeliverable', 'Message Undeliverable.'],
    [131049, 'Unable to deliver message', 'Meta chose not to deliver.'],
    [131051, 'Unsupported message type', 'Unsupported message type.'],
    [131053, 'Media upload error', 'Unsupported image mime type image/avif.'],
    [131042, 'Business eligibility payment issue', 'Payment account is not attached.'],
    [132015, 'Template is Paused', 'Template is paused due to low quality.'],
  ])('with the error %i says why it failed', (code, title, details) => {
    expect(only({ status: 'failed', errors: [{ code, title, error_data: { details } }] })).toMatchObject({
      status: 'failed',
      reason: `${title}: ${details} (${code})`,
    });
  });

  test.each([[undefined], [null], [[]], [['x']], ['x'], [[{ code: 'x', error_data: [] }]]])(
    'with the errors %j has no reason, and with an odd time no time',
    (errors) => {
      expect(only({ status: 'failed', errors, timestamp: 'soon' })).toMatchObject({ reason: null, occurredAt: null });
    },
  );
});

test('a notification may have statuses of several numbers, messages of people and other things', () => {
  const { events, unreadableCount } =
    read({
      entry: [
        null,
        7,
        { changes: 'x' },
        { changes: [null, { value: null }, { value: { statuses: {} } }] },
        ...notification({ messages: [{ from: '1', text: { body: 'Hi' } }] }, { statuses: [status({})] }).entry,
        ...notification({
          statuses: [status({ id: 'wamid.2' }), null, 'x', { id: 'wamid.3' }, { ...status({}), id: 7 }],
        }).entry,
      ],
    }) ?? {};

  expect(events?.map(({ providerMessageId }) => providerMessageId)).toEqual(['wamid.1', 'wamid.2']);
  expect(unreadableCount).toBe(4);
});

test.each(['', 'x', '{}', '"x"', 'null', '[', '7', '{"entry":{}}'])('%j is no notification', (body) => {
  expect(read(body)).toBeNull();
});
