import { readConfig } from '@jobline/runtime';
import { expect, test } from 'vitest';
import { configSchema } from './config.js';
import { relaxedRules } from './relaxed-rules.js';

const STRICT = {
  DATABASE_URL: 'postgresql://u@h/d',
  REDIS_URL: 'redis://h:1',
  ENCRYPTION_KEY: 'kX8wVq2mZr5tYb9cNd4fGh7jLp1sAe6u',
  PUBLIC_URL: 'https://jobs.example.com',
  JWT_SECRET: 'p0Zt8mX2vLqWcRy6kB1nHs4dGu7eJf9a',
};
const RELAXED = { ...STRICT, NODE_ENV: 'development', HOST: '127.0.0.1', REGISTRATION: 'first' };
const rulesOf = (env: Record<string, string>) => relaxedRules(readConfig(configSchema, env));

test('a strict configuration has no warnings', () => {
  expect(rulesOf(STRICT)).toEqual([]);
  expect(rulesOf(RELAXED)).toEqual([]);
  expect(rulesOf({ ...RELAXED, PUBLIC_URL: 'http://localhost:3000' })).toEqual([]);
});

test.each([
  ['REGISTRATION is open', { ...RELAXED, REGISTRATION: 'open' }],
  ['REGISTRATION is open', { ...STRICT, REGISTRATION: 'open' }],
  ['JWT_SECRET is not set', { ...RELAXED, JWT_SECRET: '' }],
  ['JWT_SECRET is too easy to guess', { ...RELAXED, JWT_SECRET: 's'.repeat(32) }],
  ['OPERATOR_PASSWORD must have at least 12 bytes', { ...RELAXED, OPERATOR_USER: 'ops', OPERATOR_PASSWORD: 'a' }],
  ['SMS_WEBHOOK_SECRET must have at least 16 bytes', { ...RELAXED, SMS_WEBHOOK_SECRET: '1' }],
  ['PAYMENTS_WEBHOOK_SECRET looks like a placeholder', { ...RELAXED, PAYMENTS_WEBHOOK_SECRET: 'changeme-changeme' }],
  ['SMS_WEBHOOK_SECRET_PREVIOUS must have at least 16 bytes', { ...RELAXED, SMS_WEBHOOK_SECRET_PREVIOUS: '1' }],
  [
    'PAYMENTS_WEBHOOK_SECRET_PREVIOUS must have at least 16 bytes',
    { ...RELAXED, PAYMENTS_WEBHOOK_SECRET_PREVIOUS: '1' },
  ],
  ['ENCRYPTION_KEY is not set', { ...STRICT, ENCRYPTION_KEY: '' }],
  ['BCRYPT_COST is 4', { ...RELAXED, BCRYPT_COST: '4' }],
  ['PUBLIC_URL is http', { ...RELAXED, PUBLIC_URL: 'http://jobs.example.com' }],
  ['PUBLIC_URL is http', { ...STRICT, PUBLIC_URL: 'http://localhost:3000' }],
  ['HOST is 0.0.0.0', { ...RELAXED, HOST: '' }],
  ['EMAIL_SANDBOX_DIR is set', { ...STRICT, EMAIL_SANDBOX_DIR: '/mail' }],
])('one relaxed rule has one warning: %s', (begin, env) => {
  const rules = rulesOf(env);

  expect(rules).toEqual([expect.stringMatching(new RegExp(`^${begin}`))]);
  expect(rules.join()).not.toMatch(/s{32}|changeme/);
});
