import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { NAME_PATTERN } from '@jobline/contracts';
import { createCatalogue, QUEUES } from '@jobline/handlers';
import { expect, test } from 'vitest';
import { codeSpans, DOCS, readDocument, tableRows } from './markdown.js';
import { ROOT } from './sources.js';

const JOBS_DIR = join(ROOT, 'packages/handlers/src/jobs');
/** Upper bound of a built-in type's time limit. Longer work should run in a separate process. */
const LONGEST_TIMEOUT_MS = 10 * 60_000;

const handlers = [...createCatalogue().values()];

test('every file of jobs/ is a type of the same name in the catalogue, and every type has its file', () => {
  const files = readdirSync(JOBS_DIR).filter((name) => !name.endsWith('.test.ts') && name !== 'index.ts');

  expect(files.map((name) => name.replace(/\.ts$/, '')).sort()).toEqual(handlers.map(({ type }) => type).sort());
});

test.each(handlers)('the type $type has a test in the same folder', ({ type }) => {
  expect(existsSync(join(JOBS_DIR, `${type}.test.ts`))).toBe(true);
});

test.each(handlers)('the type $type has a summary, both schemas, a queue and a time limit', (handler) => {
  expect(handler.type).toMatch(NAME_PATTERN);
  expect(handler.summary).not.toBe(handler.type);
  expect(handler.summary).toMatch(/^\S.{9,99}$/);
  expect(handler.payload).toBeDefined();
  expect(handler.result).toBeDefined();
  expect(QUEUES).toContain(handler.queue);
  expect(handler.timeoutMs).toBeGreaterThanOrEqual(1_000);
  expect(handler.timeoutMs).toBeLessThanOrEqual(LONGEST_TIMEOUT_MS);
});

// Payloads are untrusted: an empty one must be a validation error that names a missing field, not a crash.
test.each(handlers)('the type $type rejects an empty payload', ({ payload }) => {
  expect(payload?.validate({}).error).toBeDefined();
});

test('the page about job types lists every built-in type once, and the README names each', () => {
  const listed = tableRows(DOCS.jobTypes, 'type', 'queue, time limit').flatMap(([type = '']) => codeSpans(type));
  const named = codeSpans(readDocument(DOCS.readme));

  expect(listed.sort()).toEqual(handlers.map(({ type }) => type).sort());
  expect(handlers.filter(({ type }) => !named.includes(type))).toEqual([]);
});
