import { expect, it } from 'vitest';
import { concurrentIndexOf } from './concurrent-index.js';

it.each([
  ['CREATE INDEX CONCURRENTLY IF NOT EXISTS jobs_x ON jobs (org_id);', 'jobs_x'],
  ['-- Why; and how.\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "jobs_x"\n  ON "jobs"("org_id")\n', 'jobs_x'],
  ['drop index concurrently if exists "jobs_x"', 'jobs_x'],
])('%j runs outside a transaction', (sql, index) => {
  expect(concurrentIndexOf(sql)).toBe(index);
});

it.each([
  'CREATE INDEX jobs_x ON jobs (org_id)',
  'CREATE INDEX CONCURRENTLY jobs_x ON jobs (org_id)',
  'CREATE INDEX CONCURRENTLY IF NOT EXISTS jobs_x ON jobs (org_id); SELECT 1',
  '-- CREATE INDEX CONCURRENTLY IF NOT EXISTS jobs_x\nSELECT 1',
  '',
])('%j runs inside a transaction', (sql) => {
  expect(concurrentIndexOf(sql)).toBeNull();
});
