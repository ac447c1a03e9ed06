import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isSignedByTwilio, readTwilioStatus } from './twilio.js';

const ID = '01910e5c-2f3a-7000-8000-000000000001';
const TOKEN = '12345';
/** The example of Twilio's documentation and of its libraries' tests. */
const EXAMPLE = {
  url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
  form: {
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675309',
    Digits: '1234',
    From: '+14158675309',
    To: '+18005551212',
  },
  signature: 'RSOYDt4T1cUTdK1PDd93/VVr8B8=',
};

type Form = Record<string, string> | [string, string][];

function callback(url: string, form: Form, signature = '') {
  const body = Buffer.from(new URLSearchParams(form).toString());
  return { body, url, query: new URL(url).searchParams, headers: { 'x-twilio-signature': signature } };
}

const isSigned = (url: string, form: Form, signature?: string, tokens: (string | undefined)[] = [TOKEN]) =>
  isSignedByTwilio(callback(url, form, signature), tokens);
const sign = (text: string, token = TOKEN) => createHmac('sha1', token).update(text).digest('base64');

describe("Twilio's signature", () => {
  test('is that of the example in its documentation', () => {
    const { url, form, signature } = EXAMPLE;

    expect(isSigned(url, form, signature)).toBe(true);
    expect(isSigned(url, form, signature, [undefined, 'other', TOKEN])).toBe(true);
    expect(isSigned(url, { ...form, Digits: '1235' }, signature)).toBe(false);
    expect(isSigned(url, { ...form, More: '' }, signature)).toBe(false);
    expect(isSigned(url.replace('bar=2', 'bar=3'), form, signature)).toBe(false);
    expect(isSigned(url.replace('foo=1&bar=2', 'bar=2&foo=1'), form, signature)).toBe(false);
    expect(isSigned(url, form, signature, ['other', undefined, ''])).toBe(false);
    for (const wrong of ['', 'x', sign('')]) expect(isSigned(url, form, wrong)).toBe(false);
  });

  test.each([
    ['https://a.example/webhooks/twilio?x=1', 'https://a.example:443/webhooks/twilio?x=1'],
    ['http://a.example/webhooks/twilio', 'http://a.example:80/webhooks/twilio'],
    ['https://a.example:8443/base/webhooks/twilio?a=1&a=2', 'https://a.example/base/webhooks/twilio?a=1&a=2'],
    ['https://[::1]:8443/webhooks/twilio', 'https://[::1]/webhooks/twilio'],
  ])('may cover, for %s, also %s', (url, other) => {
    expect(isSigned(url, { A: '1' }, sign(`${url}A1`))).toBe(true);
    expect(isSigned(url, { A: '1' }, sign(`${other}A1`))).toBe(true);
    expect(isSigned(url, { A: '1' }, sign(`https://b.example/webhooks/twilioA1`))).toBe(false);
  });

  test('covers the fields sorted by name, and each distinct value of a name once', () => {
    const url = 'https://a.example/';
    const fields: Form = [
      ['b', '2'],
      ['B', 'é +'],
      ['ab', '4'],
      ['a', '3'],
      ['b', '1'],
      ['b', '2'],
      ['a', ''],
    ];

    expect(isSigned(url, fields, sign(`${url}Bé +aa3ab4b1b2`))).toBe(true);
  });

  test('is not computed over more than 64 KiB', () => {
    const fields: Form = { a: 'x'.repeat(65_536) };

    expect(isSigned('https://a.example/', fields, sign(`https://a.example/a${fields.a}`))).toBe(false);
  });
});

describe('a status callback of Twilio', () => {
  test.each([
    ['accepted', 'sent'],
    ['scheduled', 'sent'],
    ['queued', 'sent'],
    ['sending', 'sent'],
    ['sent', 'sent'],
    ['delivered', 'delivered'],
    ['read', 'delivered'],
    ['undelivered', 'failed'],
    ['failed', 'failed'],
    ['canceled', 'failed'],
    ['something-new', null],
  ])('with the status %s means %s', (MessageStatus, status) => {
    const form = { MessageSid: 'SM1', MessageStatus };

    expect(readTwilioStatus(callback('https://a.example/', form))?.events).toMatchObject([{ status }]);
  });

  test('names its message by the id in the query of its URL and by the id of Twilio', () => {
    const form = { MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode: '30003', To: '+1' };

    expect(readTwilioStatus(callback(`https://a.example/?message=${ID.toUpperCase()}`, form))).toEqual({
      unreadableCount: 0,
      events: [
        {
          eventId: 'SM1:undelivered',
          messageId: ID,
          providerMessageId: 'SM1',
          kind: 'undelivered',
          status: 'failed',
          reason: 'Twilio error 30003',
          suppresses: null,
          occurredAt: null,
        },
      ],
    });
    expect(readTwilioStatus(callback('https://a.example/?message=x', form))?.events[0]?.messageId).toBeNull();
  });

  test('has the reason in the words of Twilio where it has some', () => {
    const reason = (more: object) =>
      readTwilioStatus(callback('https://a.example/', { MessageSid: 'SM1', MessageStatus: 'failed', ...more }))
        ?.events[0]?.reason;

    expect(reason({ ErrorCode: '30005', ErrorMessage: 'Unknown\ndestination' })).toBe('Unknown destination (30005)');
    expect(reason({ ErrorMessage: 'Unknown' })).toBe('Unknown');
    expect(reason({ ErrorCode: '0' })).toBeNull();
    expect(reason({})).toBeNull();
  });

  test.each([{}, { MessageSid: 'SM1' }, { MessageStatus: 'sent' }, { MessageSid: 'a b', MessageStatus: 'sent' }])(
    'is not %j',
    (form) => {
      expect(readTwilioStatus(callback('https://a.example/', form as Record<string, string>))).toBeNull();
    },
  );
});
