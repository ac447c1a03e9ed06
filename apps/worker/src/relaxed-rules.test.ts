import { readConfig } from '@jobline/runtime';
import { expect, test } from 'vitest';
import { configSchema } from './config.js';
import { relaxedRules } from './relaxed-rules.js';

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
