import { readConfig } from '@jobline/runtime';
import { expect, test } from 'vitest';
import { configSchema, relaxedRules } from './config.js';

const REQUIRED = { NODE_ENV: 'test', DATABASE_URL: 'postgres://localhost/jobline', REDIS_URL: 'redis://localhost' };
const read = (env: Record<string, string> = {}) => readConfig(configSchema, { ...REQUIRED, ...env });
const MPESA = {
  PAYMENTS_PROVIDER: 'mpesa',
  PAYMENTS_CONSUMER_KEY: 'a-key-of-tests',
  PAYMENTS_CONSUMER_SECRET: 'a-secret-of-tests',
  PAYMENTS_PASSKEY: 'a-passkey-of-tests',
  PAYMENTS_SHORTCODE: '174379',
  PAYMENTS_WEBHOOK_SECRET: '8c1f5e90ab27d364',
  PUBLIC_URL: 'https://jobs.example.com',
};

test('finished jobs are kept for 30 days, or for the whole number of days in RETENTION_DAYS', () => {
  expect(read().RETENTION_DAYS).toBe(30);
  expect(read({ RETENTION_DAYS: '7' }).RETENTION_DAYS).toBe(7);
  for (const days of ['0', '-1', '1.5', 'week', '100000']) {
    expect(() => read({ RETENTION_DAYS: days })).toThrow('RETENTION_DAYS');
  }
});

test('a stopping worker lets attempts run for WORKER_DRAIN: 30 s, or up to 24 h', () => {
  expect(read().WORKER_DRAIN).toBe(30_000);
  expect(read({ WORKER_DRAIN: '24h' }).WORKER_DRAIN).toBe(86_400_000);
  for (const drain of ['25h', '86401s', '0s', '30', 'long']) {
    expect(() => read({ WORKER_DRAIN: drain })).toThrow('WORKER_DRAIN');
  }
});

test('an invalid part of WORKER_QUEUES or WORKER_TYPES prevents the start of the worker', () => {
  expect(read({ WORKER_QUEUES: 'reports:2', WORKER_TYPES: 'report.*' })).toMatchObject({
    WORKER_QUEUES: new Map([
      ['reports', 2],
      ['events', 200],
    ]),
    WORKER_TYPES: ['report.*'],
  });
  expect(() => read({ WORKER_QUEUES: 'io:0', WORKER_TYPES: 'a b' })).toThrow(
    /WORKER_QUEUES .*contains "io:0"[\s\S]*WORKER_TYPES .*contains "a b"/,
  );
});

test('a removed setting is accepted with the value that changes nothing, and rejected with every other', () => {
  expect(read({ QUEUE_SHARDS: '1' })).not.toHaveProperty('QUEUE_SHARDS');
  for (const shards of ['0', '4', 'x'])
    expect(() => read({ QUEUE_SHARDS: shards })).toThrow(/QUEUE_SHARDS no longer exists/);
});

test('the settings of a provider are required only if it is chosen, and all errors are reported together', () => {
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

test('a missing setting of the email or SMS provider prevents the start of the worker', () => {
  expect(() => read({ EMAIL_PROVIDER: 'sendgrid', SMS_PROVIDER: 'africastalking' })).toThrow(
    /EMAIL_API_KEY is required[\s\S]*SMS_API_KEY is required[\s\S]*SMS_USERNAME is required/,
  );
  expect(() => read({ EMAIL_PROVIDER: 'smtp', EMAIL_SMTP_USERNAME: 'me' })).toThrow(
    /EMAIL_SMTP_HOST is required[\s\S]*EMAIL_SMTP_PASSWORD, or neither/,
  );
  expect(() => read({ EMAIL_PROVIDER: 'post', SMS_PROVIDER: 'drums' })).toThrow(/EMAIL_PROVIDER[\s\S]*SMS_PROVIDER/);
});

test.each([
  ['OPERATOR_PASSWORD', 'password1234'],
  ['OPERATOR_PASSWORD', 'ops'],
  ['PAYMENTS_WEBHOOK_SECRET', '1234567812345678'],
  ['PAYMENTS_WEBHOOK_SECRET', 'changeme-changeme'],
])(
  'a weak %s prevents the start of the worker unless NODE_ENV is development or test, and is not shown',
  (name, secret) => {
    const env = { OPERATOR_USER: 'ops', OPERATOR_PASSWORD: 'correct horse', ...MPESA, [name]: secret };
    for (const NODE_ENV of ['production', '', 'staging']) {
      const inProduction = () => read({ ...env, NODE_ENV });

      expect(inProduction, NODE_ENV).toThrow(name);
      expect(inProduction, NODE_ENV).not.toThrow(secret);
    }
    if (name === 'OPERATOR_PASSWORD') expect(read(env)).toMatchObject({ [name]: secret });
  },
);

test('OPERATOR_USER and OPERATOR_PASSWORD must be set together', () => {
  expect(() => read({ OPERATOR_USER: 'ops' })).toThrow('OPERATOR_PASSWORD must be given with OPERATOR_USER');
  expect(() => read({ OPERATOR_PASSWORD: 'correct horse' })).toThrow('OPERATOR_USER must be given with');
});

test('a worker with strong secrets starts in production', () => {
  const env = { OPERATOR_USER: 'ops', OPERATOR_PASSWORD: 'correct horse', ...MPESA, NODE_ENV: 'production' };
  expect(read(env)).toMatchObject({ PAYMENTS_PROVIDER: 'mpesa', PAYMENTS_SHORTCODE: '174379' });
  expect(() => read({ ...env, PAYMENTS_WEBHOOK_SECRET: '' })).toThrow('PAYMENTS_WEBHOOK_SECRET is required');
});

const KEY = 'kX8wVq2mZr5tYb9cNd4fGh7jLp1sAe6u';
const STRICT = { DATABASE_URL: 'postgresql://u@h/d', REDIS_URL: 'redis://h:1', ENCRYPTION_KEY: KEY };
const RELAXED = { ...STRICT, NODE_ENV: 'development' };
const rulesOf = (env: Record<string, string>) => relaxedRules(readConfig(configSchema, env));

test('a worker with strict settings logs no warning', () => {
  expect(rulesOf(STRICT)).toEqual([]);
  expect(rulesOf(RELAXED)).toEqual([]);
  expect(rulesOf({ ...RELAXED, WORKER_PORT: '3001', WORKER_HOST: '127.0.0.1' })).toEqual([]);
  expect(rulesOf({ ...STRICT, CHROMIUM_SANDBOX: 'off', WORKER_QUEUES: 'io:200' })).toEqual([]);
});

test.each([
  ['OPERATOR_PASSWORD must have at least 12 bytes', { ...RELAXED, OPERATOR_USER: 'ops', OPERATOR_PASSWORD: 'a' }],
  ['ENCRYPTION_KEY is not set', { ...STRICT, ENCRYPTION_KEY: '' }],
  ['CHROMIUM_SANDBOX is off', { ...STRICT, CHROMIUM_SANDBOX: 'off' }],
  ['WORKER_HOST is 0.0.0.0', { ...RELAXED, WORKER_PORT: '3001' }],
])('a worker with one insecure setting logs one warning: %s', (begin, env) => {
  expect(rulesOf(env)).toEqual([expect.stringMatching(new RegExp(`^${begin}`))]);
});
