import type { Sms, SmsProvider } from '@jobline/handlers';
import { smsProviders } from '@jobline/providers';
import { readConfig, silentLogger } from '@jobline/runtime';
import { afterEach, describe, expect, test } from 'vitest';
import { failsAsAgreed, type Trouble } from './conformance.js';
import { type HttpBehavior, httpStandIn } from './http-stand-in.js';
import { closeAll } from './receivers.js';

afterEach(closeAll);

const KEY = 'a-key-that-must-stay-secret';
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

/** The answer of Africa's Talking for one recipient. */
function answer(recipient: object, status = 201): HttpBehavior {
  return {
    status,
    body: { SMSMessageData: { Message: 'Sent to 1/1', Recipients: [{ number: SMS.to, ...recipient }] } },
  };
}

describe('africastalking', () => {
  const ACCEPTED = answer({ statusCode: 101, status: 'Success', cost: 'KES 0.8000', messageId: 'ATPid_1' });
  const TROUBLES: Record<Exclude<Trouble, 'is unreachable'>, HttpBehavior> = {
    rejects: { status: 401, headers: { 'retry-after': '9' }, body: `The supplied authentication is\ninvalid: ${KEY}` },
    fails: { status: 502, body: '<html>Bad Gateway</html>' },
    throttles: { status: 429, headers: { 'retry-after': '7' }, body: 'Too many requests' },
    'does not answer': 'silence',
    'closes the connection': 'cut',
    'sends half an answer': { half: { status: 201, body: 'an answer that never comes whole' } },
  };

  const settings = (url: string) => ({
    SMS_PROVIDER: 'africastalking',
    SMS_API_KEY: KEY,
    SMS_USERNAME: 'acme',
    SMS_BASE_URL: url,
  });

  test('gets a request in the form of its API', async () => {
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

  test('chooses the sender if the message names none', async () => {
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
  ])('reports with a 201, code %i and status %s that the message is %s', async (statusCode, status, kind) => {
    const { url } = await httpStandIn(answer({ statusCode, status, cost: '0', messageId: 'None' }));

    await expect(send(settings(url))).rejects.toMatchObject({
      kind,
      message: `africastalking rejected the message: ${status} (${statusCode})`,
    });
  });

  test('rejects a message permanently with a 409', async () => {
    const { url } = await httpStandIn(
      answer({ statusCode: 409, status: 'DoNotDisturbRejection', messageId: 'None' }, 409),
    );

    await expect(send(settings(url))).rejects.toMatchObject({ kind: 'rejected' });
  });

  test('can answer without a recipient but with a reason', async () => {
    const { url } = await httpStandIn({
      status: 201,
      body: { SMSMessageData: { Message: 'InvalidSenderId', Recipients: [] } },
    });

    await expect(send(settings(url))).rejects.toMatchObject({
      kind: 'rejected',
      message: 'africastalking rejected the message: InvalidSenderId',
    });
  });

  test.each(['', 'OK', '<xml/>', '{}', '[]', 'null', '{"SMSMessageData":{"Recipients":[{}]}}'])(
    'has an unknown outcome if it answers with 201 and %j',
    async (body) => {
      const { url } = await httpStandIn({ status: 201, body });

      await expect(send(settings(url))).rejects.toMatchObject({ kind: 'ambiguous' });
    },
  );

  test('is called at its sandbox for the user "sandbox" and at the live service for other users', () => {
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
        if (trouble === 'is unreachable') await standIn.leave();
        else standIn.behavior = TROUBLES[trouble];
      },
      received: () => standIn.requests.length,
      secrets: [KEY, 'Your code'],
      rejection: 'africastalking answered 401: The supplied authentication is invalid: ***',
    };
  });
});

describe('the SMS sandbox', () => {
  test('accepts a message without sending it', async () => {
    expect(open({}).provider).toBe('sandbox');
    expect(await send({})).toEqual({ providerMessageId: null });
  });

  test('rejects an invalid phone number, and does nothing if the signal was aborted before', async () => {
    await expect(send({}, { to: '0711000111' })).rejects.toMatchObject({ kind: 'rejected' });
    await expect(send({}, {}, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  });
});

test('missing settings of an SMS provider are named', () => {
  expect(() => open({ SMS_PROVIDER: 'africastalking' })).toThrow(
    /SMS_API_KEY is required[\s\S]*SMS_USERNAME is required/,
  );
  expect(() => open({ SMS_PROVIDER: 'pigeon' })).toThrow(
    'SMS_PROVIDER must be one of [sandbox, africastalking, twilio]',
  );
});
