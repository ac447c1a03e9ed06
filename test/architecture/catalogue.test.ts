import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { NAME_PATTERN } from '@jobline/contracts';
import { createCatalogue, QUEUES } from '@jobline/handlers';
import { expect, test } from 'vitest';
import { ROOT } from './sources.js';

const JOBS_DIR = join(ROOT, 'packages/handlers/src/jobs');
/** Where an attempt that takes so long is no job any more but a process. */
const LONGEST_TIMEOUT_MS = 10 * 60_000;

const handlers = [...createCatalogue().values()];

test('every file of jobs/ is a type of that name in the catalogue, and every type has its file', () => {
  const files = readdirSync(JOBS_DIR).filter((name) => !name.endsWith('.test.ts') && name !== 'index.ts');

  expect(files.map((name) => name.replace(/\.ts$/, '')).sort()).toEqual(handlers.map(({ type }) => type).sort());
});

test.each(handlers)('$type has a test beside it', ({ type }) => {
  expect(existsSync(join(JOBS_DIR, `${type}.test.ts`))).toBe(true);
});

test.each(handlers)('$type says what it is, checks its payload and has sane limits', (handler) => {
  expect(handler.type).toMatch(NAME_PATTERN);
  expect(handler.summary).not.toBe(handler.type);
  expect(handler.summary).toMatch(/^\S.{9,99}$/);
  expect(handler.payload).toBeDefined();
  expect(QUEUES).toContain(handler.queue);
  expect(handler.timeoutMs).toBeGreaterThanOrEqual(1_000);
  expect(handler.timeoutMs).toBeLessThanOrEqual(LONGEST_TIMEOUT_MS);
});

// The payload comes from a tenant: an empty one must be a fault that names what is missing, not a crash in the handler.
test.each(handlers)('$type refuses an empty payload', ({ payload }) => {
  expect(payload?.validate({}).error).toBeDefined();
});
