import { expect, it } from 'vitest';
import type { Compose, Messages, SmsRequest } from '../ports/index.js';
import { runHandler } from '../testing.js';
import { sendSms } from './send_sms.js';

const SMS = { to: '+254711000111', message: 'Hi' };
const issues = (payload: object) =>
  sendSms.payload?.validate(payload, { abortEarly: false }).error?.details.map(({ path }) => path.join('.')) ?? [];

const compose: Compose = {
  unknownSecrets: async () => [],
  sms: async (_orgId, { from, message = '' }) =>
    from === 'BANK'
      ? { failure: { code: 'sender_not_registered', details: [{ path: 'payload.from', message: 'not yours' }] } }
      : { message: { from: from ?? null, message } },
  email: () => Promise.reject(new Error('an SMS is not an email')),
};

it('send_sms sends the composed SMS and returns its ids and segments', async () => {
  const sent: SmsRequest[] = [];
  const messages: Messages = {
    async sendSms(sms) {
      sent.push(sms);
      return { messageId: 'm-1', providerMessageId: 'p-1', provider: 'africastalking', segments: 2 };
    },
    sendChat: () => Promise.reject(new Error('an SMS is not a chat message')),
    sendEmail: () => Promise.reject(new Error('an SMS is not an email')),
  };

  const { result, logs } = await runHandler(sendSms, SMS, { ports: { compose, messages } });

  expect(result).toEqual({
    provider: 'africastalking',
    message_id: 'm-1',
    provider_message_id: 'p-1',
    segments: 2,
  });
  expect(sent).toEqual([{ ...SMS, from: null }]);
  expect(logs).toEqual([{ level: 'info', message: 'africastalking accepted the SMS (2 segments) as p-1' }]);
});

it('send_sms fails permanently for a sender id that is not registered', async () => {
  const run = runHandler(sendSms, { ...SMS, from: 'BANK' }, { ports: { compose } });

  await expect(run).rejects.toMatchObject({ name: 'PermanentError', code: 'sender_not_registered' });
});

it('the payload of send_sms has a number in E.164 format, and either a message or a template', () => {
  expect(issues(SMS)).toEqual([]);
  expect(issues({ to: SMS.to, template: 'code', data: {} })).toEqual([]);
  expect(issues({}).sort()).toEqual(['message', 'to']);
  expect(issues({ ...SMS, template: 'code' })).toEqual(['message']);
  expect(issues({ ...SMS, message: 'a\u0000' })).toEqual(['message']);
  for (const to of [
    '',
    '0711000111',
    '254711000111',
    '+0711000111',
    '+1234567890123456',
    '+254 711',
    '+2547110001x1',
  ]) {
    expect(issues({ ...SMS, to })).toEqual(['to']);
  }
});
