import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, register, type World } from '../../harness/index.js';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

const TWILIO = {
  SMS_PROVIDER: 'twilio',
  SMS_ACCOUNT_SID: 'AC0123456789abcdef0123456789abcdef',
  SMS_USERNAME: 'SK0123456789abcdef0123456789abcdef',
  SMS_API_KEY: 'the-secret-of-the-api-key',
};

it.each([
  [
    'the sandbox',
    {},
    {
      email: { provider: 'sandbox', from: 'sandbox@jobline.invalid', required: false },
      sms: { provider: 'sandbox', from: null, required: false },
    },
  ],
  [
    'configured senders',
    {
      EMAIL_PROVIDER: 'smtp',
      EMAIL_SMTP_HOST: '127.0.0.1',
      EMAIL_DEFAULT_FROM: 'Acme <hello@acme.example>',
      ...TWILIO,
      SMS_DEFAULT_FROM: '+14155550100',
    },
    {
      email: { provider: 'smtp', from: 'Acme <hello@acme.example>', required: false },
      sms: { provider: 'twilio', from: '+14155550100', required: false },
    },
  ],
  [
    'no senders',
    { EMAIL_PROVIDER: 'smtp', EMAIL_SMTP_HOST: '127.0.0.1', ...TWILIO },
    {
      email: { provider: 'smtp', from: null, required: true },
      sms: { provider: 'twilio', from: null, required: true },
    },
  ],
  [
    'a provider that chooses',
    { SMS_PROVIDER: 'africastalking', SMS_API_KEY: 'a-key-that-must-stay-secret', SMS_USERNAME: 'acme' },
    {
      email: { provider: 'sandbox', from: 'sandbox@jobline.invalid', required: false },
      sms: { provider: 'africastalking', from: null, required: false },
    },
  ],
])('the default senders of an installation with %s', async (_, env, senders) => {
  const api = await world.api({ providers: env });
  const answer = await (await register(api.call)).get('/org/default-senders');

  expect([answer.status, answer.body]).toEqual([200, senders]);
});
