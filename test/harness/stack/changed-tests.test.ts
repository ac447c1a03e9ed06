import { describe, expect, test } from 'vitest';
import { testsFor } from './changed-tests.js';

describe('the tests that a change affects', () => {
  test('are all tests if the file can affect every test', () => {
    for (const file of ['package-lock.json', 'prisma/migrations/x/migration.sql', 'test/vitest.config.ts']) {
      expect(testsFor(['README.md', file])).toEqual({ kind: 'all' });
    }
  });

  test('are those that import the changed sources, and always the tests that read the whole tree', () => {
    expect(testsFor(['packages/engine/src/start/lease.ts', 'docs/x.svg'])).toEqual({
      kind: 'some',
      paths: ['test/architecture'],
      sources: ['packages/engine/src/start/lease.ts'],
    });
  });

  test('are the browser tests if the dashboard has changed, which no test imports', () => {
    expect(testsFor(['apps/dashboard/src/main.tsx'])).toEqual({
      kind: 'some',
      paths: ['test/architecture', 'test/browser', 'test/api/pages.test.ts', 'apps/dashboard'],
      sources: [],
    });
  });
});
