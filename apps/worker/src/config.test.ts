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

test('texts are summed up here unless AI_PROVIDER names another way, and only one that there is', () => {
  expect(read().AI_PROVIDER).toBe('local');
  expect(() => read({ AI_PROVIDER: 'gpt' })).toThrow('AI_PROVIDER');
});
