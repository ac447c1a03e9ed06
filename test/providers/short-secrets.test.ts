import {
  chatProviders,
  emailProviders,
  paymentsProviders,
  smsProviders,
  summarizers,
  teamChatProviders,
} from '@jobline/providers';
import { silentLogger } from '@jobline/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { EMAIL } from './email-sample.js';
import { type HttpAnswer, httpStandIn } from './http-stand-in.js';
import { MPESA_SETTINGS, startMpesa } from './mpesa-server.js';
import { closeAll } from './receivers.js';
import { smtpStandIn } from './smtp-stand-in.js';

afterEach(closeAll);

const context = { log: silentLogger };
const signal = new AbortController().signal;

/** The base URL of a server with this answer. */
const answering = async (answer: HttpAnswer) => (await httpStandIn(answer)).url;
const json = (body: object, status = 200): HttpAnswer => ({ status, body });

/** Sends with an adapter whose secrets are this text, to a server that accepts the request. */
const ADAPTERS: Record<string, { accepted: object; send(secret: string): Promise<object | null> }> = {
  africastalking: {
    accepted: { providerMessageId: 'ATPid_ck' },
    async send(secret) {
      const recipient = { statusCode: 101, status: 'Success', messageId: 'ATPid_ck' };
      const url = await answering(json({ SMSMessageData: { Message: 'Sent to 1/1', Recipients: [recipient] } }, 201));
      const settings = { SMS_PROVIDER: 'africastalking', SMS_USERNAME: secret, SMS_API_KEY: secret, SMS_BASE_URL: url };
      const sms = { id: EMAIL.id, to: '+254711000111', from: null, message: 'Hello' };
      return smsProviders.open(settings, context).send(sms, signal);
    },
  },
  twilio: {
    accepted: { providerMessageId: 'SMack0' },
    async send(secret) {
      const url = await answering(json({ sid: 'SMack0', status: 'queued', error_code: null }, 201));
      const account = { SMS_ACCOUNT_SID: `AC${secret}`, SMS_USERNAME: `SK${secret}`, SMS_API_KEY: secret };
      const settings = {
        SMS_PROVIDER: 'twilio',
        ...account,
        SMS_BASE_URL: url,
        PUBLIC_URL: 'https://jobs.example.com',
      };
      const sms = { id: EMAIL.id, to: '+14155550111', from: 'ACME', message: 'Hello' };
      return smsProviders.open(settings, context).send(sms, signal);
    },
  },
  whatsapp: {
    accepted: { providerMessageId: 'wamid.ack' },
    async send(secret) {
      const url = await answering(json({ messages: [{ id: 'wamid.ack' }] }));
      const settings = { CHAT_API_KEY: secret, CHAT_PHONE_NUMBER_ID: '1', CHAT_BASE_URL: url };
      const chat = chatProviders.open({ CHAT_PROVIDER: 'whatsapp', ...settings }, context);
      return chat.send({ to: '+254711000111', message: 'Hello' }, signal);
    },
  },
  slack: {
    accepted: { providerMessageId: 'Cack:1.2' },
    async send(secret) {
      const url = await answering(json({ ok: true, channel: 'Cack', ts: '1.2' }));
      const settings = { TEAM_CHAT_PROVIDER: 'slack', TEAM_CHAT_API_KEY: secret, TEAM_CHAT_BASE_URL: url };
      return teamChatProviders.open(settings, context).post({ channel: '#ops', text: 'Hello' }, signal);
    },
  },
  openai: {
    accepted: { summary: 'A check of the stock.', model: 'stack' },
    async send(secret) {
      const message = { role: 'assistant', content: 'A check of the stock.' };
      const url = await answering(json({ model: 'stack', choices: [{ message, finish_reason: 'stop' }] }));
      const settings = { AI_PROVIDER: 'openai', AI_MODEL: 'small', AI_API_KEY: secret, AI_BASE_URL: url };
      return summarizers.open(settings, context).summarize({ text: 'Hello', length: 'short', signal });
    },
  },
  sendgrid: {
    accepted: { providerMessageId: 'ack-1' },
    async send(secret) {
      const url = await answering({ status: 202, headers: { 'x-message-id': 'ack-1' } });
      const settings = { EMAIL_PROVIDER: 'sendgrid', EMAIL_API_KEY: secret, EMAIL_BASE_URL: url };
      return emailProviders.open(settings, context).send(EMAIL, signal);
    },
  },
  smtp: {
    accepted: { providerMessageId: `<${EMAIL.id}@acme.example>` },
    async send(secret) {
      const { port } = await smtpStandIn({ onAuth: (_auth, _session, done) => done(null, { user: secret }) });
      const server = { EMAIL_SMTP_HOST: '127.0.0.1', EMAIL_SMTP_PORT: port, EMAIL_SMTP_TLS: 'none' };
      const login = { EMAIL_SMTP_USERNAME: secret, EMAIL_SMTP_PASSWORD: secret };
      return emailProviders.open({ EMAIL_PROVIDER: 'smtp', ...server, ...login }, context).send(EMAIL, signal);
    },
  },
  'mpesa, a prompt': {
    accepted: { requestId: 'ws_CO_1', merchantRequestId: '29115-1' },
    send: (secret) =>
      withMpesa(secret, (payments) =>
        payments.prompt({ id: EMAIL.id, phone: '254708374149', amount: 100, ref: 'INV-1' }),
      ),
  },
  'mpesa, a query': {
    accepted: { status: 'paid', code: '0', receipt: null, paidAt: null },
    send: (secret) => withMpesa(secret, (payments) => payments.query('ws_CO_1', signal)),
  },
};

async function withMpesa<T>(secret: string, call: (payments: ReturnType<typeof openMpesa>) => Promise<T>): Promise<T> {
  const paid = { ResponseCode: '0', ResultCode: '0', ResultDesc: 'The check was a success' };
  const server = await startMpesa({ query: () => ({ body: JSON.stringify(paid) }) });
  try {
    return await call(openMpesa(server.url, secret));
  } finally {
    await server.close();
  }
}

function openMpesa(url: string, secret: string) {
  const [PAYMENTS_CONSUMER_KEY, PAYMENTS_CONSUMER_SECRET, PAYMENTS_PASSKEY] = [secret, secret, secret];
  const secrets = { PAYMENTS_CONSUMER_KEY, PAYMENTS_CONSUMER_SECRET, PAYMENTS_PASSKEY };
  return paymentsProviders.open({ ...MPESA_SETTINGS, ...secrets, PAYMENTS_BASE_URL: url }, context);
}

describe.each(Object.keys(ADAPTERS))('%s', (name) => {
  it.each(['a', 'C', '1', '0', '_', 'ck', 'ID', 'ok', 'ws'])(
    'reads an answer that contains its secret %j',
    async (secret) => {
      const { accepted, send } = ADAPTERS[name] ?? {};
      expect(await send?.(secret)).toMatchObject(accepted ?? {});
    },
  );
});
