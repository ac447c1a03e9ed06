import type { Sms, SmsProvider } from '@jobline/handlers';
import { smsProviders } from '@jobline/providers';
import { readConfig, silentLogger } from '@jobline/runtime';
import { afterEach, describe, expect, test } from 'vitest';
import { failsAsAgreed, type Trouble } from './conformance.js';
import { type HttpBehaviour, httpStandIn } from './http-stand-in.js';
import { closeAll } from './receivers.js';

afterEach(closeAll);

const KEY = 'a-key-that-nobody-may-read';
const SMS: Sms = {
  id: '01910e5c-2f3a-7000-8000-000000000001',
  to: '+254711000111',
  from: 'ACME',
  message: 'Your code is 1 + 1 = 2 & that’s it',
};

function send(env: object, sms: Partial<Sms> = {}, signal = new AbortController().signal) {
  return open(env).send({ ...SMS, ...sms }, signal);
}

function open(env: object): SmsProvider {
  return smsProviders.open(env, { log: silentLogger });
}

/** What Africa's Talking answers for one recipient. */
function answer(recipient: object, status = 201): HttpBehaviour {
  return {
    status,
    body: { SMSMessageData: { Message: 'Sent to 1/1', Recipients: [{ number: SMS.to, ...recipient }] } },
  };
}

describe('africastalking', () => {
  const ACCEPTED = answer({ statusCode: 101, status: 'Success', cost: 'KES 0.8000', messageId: 'ATPid_1' });
  const TROUBLES: Record<Exclude<Trouble, 'is not there'>, HttpBehaviour> = {
    refuses: { status: 401, headers: { 'retry-after': '9' }, body: `The supplied authentication is\ninvalid: ${KEY}` },
    fails: { status: 502, body: '<html>Bad Gateway</html>' },
    throttles: { status: 429, headers: { 'retry-after': '7' }, body: 'Too many requests' },
    'says nothing': 'silence',
    'hangs up': 'cut',
    'answers half': { half: { status: 201, body: 'an answer that never comes whole' } },
  };

  const settings = (url: string) => ({
    SMS_PROVIDER: 'africastalking',
    SMS_API_KEY: KEY,
    SMS_USERNAME: 'acme',
    SMS_BASE_URL: url,
  });

  test('is sent a request as its protocol has it', async () => {
    const { url, requests } = await httpStandIn(ACCEPTED);

    expect(await send(settings(url))).toEqual({ providerMessageId: 'ATPid_1' });

    const [request, ...others] = requests;
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      method: 'POST',
      url: '/some/base/version1/messaging',
      headers: { apikey: KEY, accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      username: 'acme',
      to: '+254711000111',
      from: 'ACME',
      message: SMS.message,
      bulkSMSMode: '1',
    });
    expect(request?.body).toContain('to=%2B254711000111');
  });

  test('chooses the sender itself when none is named', async () => {
    const { url, requests } = await httpStandIn(ACCEPTED);

    await send(settings(url), { from: null });

    expect(new URLSearchParams(requests[0]?.body).has('from')).toBe(false);
  });

  test.each([100, 101, 102])('takes a message with code %i', async (statusCode) => {
    const { url } = await httpStandIn(answer({ statusCode, status: 'Success', messageId: 'ATXid_2' }));

    expect(await send(settings(url))).toEqual({ providerMessageId: 'ATXid_2' });
  });

  test.each([
    [401, 'RiskHold', 'rejected'],
    [402, 'InvalidSenderId', 'rejected'],
    [403, 'InvalidPhoneNumber', 'rejected'],
    [404, 'UnsupportedNumberType', 'rejected'],
    [405, 'InsufficientBalance', 'rejected'],
    [406, 'UserInBlacklist', 'rejected'],
    [407, 'CouldNotRoute', 'rejected'],
    [500, 'InternalServerError', 'transient'],
    [501, 'GatewayError', 'transient'],
    [502, 'RejectedByGateway', 'rejected'],
  ])('means by a 201 with code %i, %s, that it is %s', async (statusCode, status, kind) => {
    const { url } = await httpStandIn(answer({ statusCode, status, cost: '0', messageId: 'None' }));

    await expect(send(settings(url))).rejects.toMatchObject({
      kind,
      message: `africastalking refused the message: ${status} (${statusCode})`,
    });
  });

  test('refuses with a 409 what it refuses again tomorrow', async () => {
    const { url } = await httpStandIn(
      answer({ statusCode: 409, status: 'DoNotDisturbRejection', messageId: 'None' }, 409),
    );

    await expect(send(settings(url))).rejects.toMatchObject({ kind: 'rejected' });
  });

  test('may name no recipient at all, and say why', async () => {
    const { url } = await httpStandIn({
      status: 201,
      body: { SMSMessageData: { Message: 'InvalidSenderId', Recipients: [] } },
    });

    await expect(send(settings(url))).rejects.toMatchObject({
      kind: 'rejected',
      message: 'africastalking refused the message: InvalidSenderId',
    });
  });

  test.each(['', 'OK', '<xml/>', '{}', '[]', 'null', '{"SMSMessageData":{"Recipients":[{}]}}'])(
    'leaves open what it did when it answers 201 and %j',
    async (body) => {
      const { url } = await httpStandIn({ status: 201, body });

      await expect(send(settings(url))).rejects.toMatchObject({ kind: 'ambiguous' });
    },
  );

  test('is called at its sandbox for the user "sandbox", and at the live service for any other', () => {
    const base = (SMS_USERNAME: string) =>
      readConfig(smsProviders.schema, { SMS_PROVIDER: 'africastalking', SMS_API_KEY: KEY, SMS_USERNAME });

    expect(base('sandbox')).toMatchObject({ SMS_BASE_URL: 'https://api.sandbox.africastalking.com' });
    expect(base('acme')).toMatchObject({ SMS_BASE_URL: 'https://api.africastalking.com' });
  });

  failsAsAgreed('africastalking', async (timeoutMs) => {
    const standIn = await httpStandIn(ACCEPTED);
    const env = { ...settings(standIn.url), SMS_TIMEOUT_MS: timeoutMs };
    return {
      send: (signal, context) => smsProviders.open(env, context).send(SMS, signal),
      async meet(trouble) {
        if (trouble === 'is not there') await standIn.leave();
        else standIn.behaviour = TROUBLES[trouble];
      },
      received: () => standIn.requests.length,
      secrets: [KEY, 'Your code'],
      refusal: 'africastalking answered 401: The supplied authentication is invalid: ***',
    };
  });
});

describe('the sandbox', () => {
  test('takes a message, sends nothing and says who it is', async () => {
    expect(open({}).provider).toBe('sandbox');
    expect(await send({})).toEqual({ providerMessageId: null });
  });

  test('refuses what is no phone number, and does nothing when the signal had fired', async () => {
    await expect(send({}, { to: '0711000111' })).rejects.toMatchObject({ kind: 'rejected' });
    await expect(send({}, {}, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  });
});

test('what a provider of text messages misses is named', () => {
  expect(() => open({ SMS_PROVIDER: 'africastalking' })).toThrow(
    /SMS_API_KEY is required[\s\S]*SMS_USERNAME is required/,
  );
  expect(() => open({ SMS_PROVIDER: 'pigeon' })).toThrow('SMS_PROVIDER must be one of [sandbox, africastalking]');
});
