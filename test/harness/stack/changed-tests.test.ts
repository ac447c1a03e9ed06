import { describe, expect, test } from 'vitest';
import { testsFor } from './changed-tests.js';

describe('the tests of a change', () => {
  test('are all of them when it can reach all', () => {
    for (const file of ['package-lock.json', 'prisma/migrations/x/migration.sql', 'test/vitest.config.ts']) {
      expect(testsFor(['README.md', file])).toEqual({ kind: 'all' });
    }
  });

  test('are those that import the changed sources, and always those that read the whole tree', () => {
    expect(testsFor(['packages/engine/src/lease.ts', 'docs/x.svg'])).toEqual({
      kind: 'some',
      paths: ['test/architecture'],
      sources: ['packages/engine/src/lease.ts'],
    });
  });

  test('are those of the pages when the dashboard has changed, which no test imports', () => {
    expect(testsFor(['apps/dashboard/src/main.tsx'])).toEqual({
      kind: 'some',
      paths: ['test/architecture', 'test/browser', 'test/api/pages.test.ts', 'apps/dashboard'],
      sources: [],
    });
  });
});
