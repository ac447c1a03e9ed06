import type { Sms } from '@jobline/handlers';
import { smsProviders } from '@jobline/providers';
import { readConfig, silentLogger } from '@jobline/runtime';
import { afterEach, describe, expect, test } from 'vitest';
import { failsAsAgreed, type Trouble } from './conformance.js';
import { type HttpAnswer, type HttpBehavior, httpStandIn } from './http-stand-in.js';
import { closeAll } from './receivers.js';

afterEach(closeAll);

const ACCOUNT = 'AC0123456789abcdef0123456789abcdef';
const KEY = 'SK0123456789abcdef0123456789abcdef';
const SECRET = 'the-secret-of-the-api-key';
const SMS: Sms = {
  id: '01910e5c-2f3a-7000-8000-000000000001',
  to: '+14155550111',
  from: 'ACME',
  message: 'Your code is 1 + 1 = 2 & that’s it',
};

const settings = (url: string) => ({
  SMS_PROVIDER: 'twilio',
  SMS_ACCOUNT_SID: ACCOUNT,
  SMS_USERNAME: KEY,
  SMS_API_KEY: SECRET,
  SMS_DEFAULT_FROM: '+14155550100',
  SMS_BASE_URL: url,
  PUBLIC_URL: 'https://jobs.example.com/base/',
});

function send(env: object, sms: Partial<Sms> = {}) {
  const provider = smsProviders.open(env, { log: silentLogger });
  return provider.send({ ...SMS, ...sms }, new AbortController().signal);
}

const ACCEPTED: HttpAnswer = {
  status: 201,
  body: { sid: 'SM00000000000000000000000000000001', status: 'queued', error_code: null, error_message: null },
};
const refused = (status: number, code: number, message = 'No'): HttpAnswer => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

describe('twilio', () => {
  test('gets a request in the form of its API, with the address for the status of the message', async () => {
    const { url, requests } = await httpStandIn(ACCEPTED);

    expect(await send(settings(url))).toEqual({ providerMessageId: 'SM00000000000000000000000000000001' });

    const [request, ...others] = requests;
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      method: 'POST',
      url: `/some/base/2010-04-01/Accounts/${ACCOUNT}/Messages.json`,
      headers: {
        authorization: `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
    });
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      To: '+14155550111',
      From: 'ACME',
      Body: SMS.message,
      StatusCallback: `https://jobs.example.com/base/webhooks/twilio?message=${SMS.id}`,
    });
    expect(request?.body).toContain('To=%2B14155550111');
  });

  test.each([
    ['a number', '+14155550100', { From: '+14155550100' }],
    [
      'a messaging service',
      'MG0123456789abcdef0123456789abcdef',
      { MessagingServiceSid: 'MG0123456789abcdef0123456789abcdef' },
    ],
  ])('gets the configured sender if the message names none: %s', async (_, SMS_DEFAULT_FROM, sender) => {
    const { url, requests } = await httpStandIn(ACCEPTED);

    await send({ ...settings(url), SMS_DEFAULT_FROM }, { from: null });

    const { From, MessagingServiceSid } = Object.fromEntries(new URLSearchParams(requests[0]?.body));
    expect({ From, MessagingServiceSid }).toEqual({ From: undefined, MessagingServiceSid: undefined, ...sender });
  });

  test('gets no message without a sender', async () => {
    const { url, requests } = await httpStandIn(ACCEPTED);
    const env = { ...settings(url), SMS_DEFAULT_FROM: undefined };

    await expect(send(env, { from: null })).rejects.toMatchObject({
      kind: 'rejected',
      message: 'twilio: set "from", because no default sender is configured (SMS_DEFAULT_FROM)',
    });
    expect(requests).toEqual([]);
  });

  test.each<[string, HttpBehavior, string]>([
    ['an invalid number', refused(400, 21211), 'rejected'],
    ['a recipient that has unsubscribed', refused(400, 21610), 'rejected'],
    ['a wrong key', refused(401, 20003), 'rejected'],
    ['a full queue', refused(400, 21611), 'throttled'],
    ['too many requests', refused(429, 20429), 'throttled'],
    ['a service that is down', refused(503, 20503), 'transient'],
    ['an error of a gateway', { status: 502, body: '<html>' }, 'transient'],
    ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 'rejected'],
    ['a success without an id', { status: 201, body: '{}' }, 'ambiguous'],
    ['a success that is no JSON', { status: 201, body: 'OK' }, 'ambiguous'],
  ])('answers with %s', async (_, behavior, kind) => {
    const { url, requests } = await httpStandIn(behavior);

    await expect(send(settings(url))).rejects.toMatchObject({ kind });
    expect(requests).toHaveLength(1);
  });

  test.each(['S', 'si'])(
    'accepts a message if the secret of the key is %j, which its answer contains',
    async (secret) => {
      const { url } = await httpStandIn(ACCEPTED);

      expect(await send({ ...settings(url), SMS_API_KEY: secret })).toEqual({
        providerMessageId: 'SM00000000000000000000000000000001',
      });
    },
  );

  test.each([
    [{ SMS_ACCOUNT_SID: KEY }, 'SMS_ACCOUNT_SID must be the SID of the account'],
    [{ SMS_USERNAME: ACCOUNT }, 'SMS_USERNAME must be the SID of an API key'],
    [{ SMS_API_KEY: undefined }, 'SMS_API_KEY is required'],
    [{ PUBLIC_URL: undefined }, 'PUBLIC_URL is required'],
  ])('is not opened with %j', (wrong, message) => {
    const env = { ...settings('https://api.example.com'), ...wrong };

    expect(() => smsProviders.open(env, { log: silentLogger })).toThrow(message);
  });

  test('is called at its live service by default', () => {
    expect(readConfig(smsProviders.schema, { ...settings(''), SMS_BASE_URL: undefined })).toMatchObject({
      SMS_BASE_URL: 'https://api.twilio.com',
    });
  });

  failsAsAgreed('twilio', async (timeoutMs) => {
    const standIn = await httpStandIn(ACCEPTED);
    const env = { ...settings(standIn.url), SMS_TIMEOUT_MS: timeoutMs };
    const troubles: Record<Exclude<Trouble, 'is unreachable'>, HttpBehavior> = {
      rejects: { ...refused(401, 20003, `Authenticate\nwith ${SECRET}`), headers: { 'retry-after': '9' } },
      fails: refused(500, 20500),
      throttles: { ...refused(429, 20429), headers: { 'retry-after': '7' } },
      'does not answer': 'silence',
      'closes the connection': 'cut',
      'sends half an answer': { half: ACCEPTED },
    };
    return {
      send: (signal, context) => smsProviders.open(env, context).send(SMS, signal),
      async meet(trouble) {
        if (trouble === 'is unreachable') await standIn.leave();
        else standIn.behavior = troubles[trouble];
      },
      received: () => standIn.requests.length,
      secrets: [SECRET, Buffer.from(`${KEY}:${SECRET}`).toString('base64'), 'Your code'],
      rejection: 'twilio answered 401: Authenticate with *** (20003)',
    };
  });
});
