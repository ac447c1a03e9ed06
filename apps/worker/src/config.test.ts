import { readConfig } from '@jobline/runtime';
import { expect, test } from 'vitest';
import { configSchema } from './config.js';

const REQUIRED = { DATABASE_URL: 'postgres://localhost/jobline', REDIS_URL: 'redis://localhost' };
const read = (env: Record<string, string> = {}) => readConfig(configSchema, { ...REQUIRED, ...env });

test('finished jobs are kept for 30 days, or as many whole ones as RETENTION_DAYS says', () => {
  expect(read().RETENTION_DAYS).toBe(30);
  expect(read({ RETENTION_DAYS: '7' }).RETENTION_DAYS).toBe(7);
  for (const days of ['0', '-1', '1.5', 'week', '100000']) {
    expect(() => read({ RETENTION_DAYS: days })).toThrow('RETENTION_DAYS');
  }
});

test('a provider is chosen by name, and what it needs is asked for only then, together with all other faults', () => {
  expect(read({ AI_MODEL: '', PAYMENTS_SHORTCODE: 'none' })).toMatchObject({
    AI_PROVIDER: 'local',
    CHAT_PROVIDER: 'sandbox',
  });
  expect(read({ AI_PROVIDER: 'openai', AI_MODEL: 'small' })).toMatchObject({
    AI_PROVIDER: 'openai',
    AI_MODEL: 'small',
  });
  expect(() => read({ AI_PROVIDER: 'gpt' })).toThrow('AI_PROVIDER must be one of [local, openai]');
  expect(() =>
    read({
      RETENTION_DAYS: 'week',
      CHAT_PROVIDER: 'whatsapp',
      TEAM_CHAT_PROVIDER: 'slack',
      PAYMENTS_PROVIDER: 'mpesa',
    }),
  ).toThrow(
    /RETENTION_DAYS[\s\S]*CHAT_API_KEY[\s\S]*CHAT_PHONE_NUMBER_ID[\s\S]*PAYMENTS_CONSUMER_KEY[\s\S]*PAYMENTS_WEBHOOK_SECRET[\s\S]*PUBLIC_URL[\s\S]*TEAM_CHAT_API_KEY/,
  );
});

test('a provider of email or SMS that misses a setting keeps the worker from starting', () => {
  expect(() => read({ EMAIL_PROVIDER: 'sendgrid', SMS_PROVIDER: 'africastalking' })).toThrow(
    /EMAIL_API_KEY is required[\s\S]*SMS_API_KEY is required[\s\S]*SMS_USERNAME is required/,
  );
  expect(() => read({ EMAIL_PROVIDER: 'smtp', EMAIL_SMTP_USERNAME: 'me' })).toThrow(
    /EMAIL_SMTP_HOST is required[\s\S]*EMAIL_SMTP_PASSWORD are given both or neither/,
  );
  expect(() => read({ EMAIL_PROVIDER: 'post', SMS_PROVIDER: 'drums' })).toThrow(/EMAIL_PROVIDER[\s\S]*SMS_PROVIDER/);
});
