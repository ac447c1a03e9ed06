import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '@jobline/api/endpoints';
import { describe, expect, test } from 'vitest';
import { ROWS } from '../api/walk/rows.js';
import { FAST } from '../fast.js';
import { readDurations, secondsOf } from '../harness/durations.js';
import { testFilesOf } from '../harness/test-files.js';
import { codeSpans, DOCS, readDocument, readRaw, tables } from './markdown.js';
import { importsIn, ROOT, workspaces } from './sources.js';

/**
 * The recorded seconds of all files together. On two processors three files run at the same time, so these take about three
 * and a half minutes. Five minutes leave time to build, to start the servers, and for the last files, which run alone.
 */
const MAX_SECONDS = 640;

const fast = testFilesOf('fast');
const texts = new Map(fast.map((path) => [path, readRaw(path)]));

describe('the part of the suite that npm test runs', () => {
  test('is listed with folders and files that exist', () => {
    const named = FAST.flatMap(({ folder, only = [], without = [] }) => [
      folder,
      ...[...only, ...without].map((name) => `${folder}/${name}.test.ts`),
    ]);

    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test('and the rest are all tests, each in one of them', () => {
    const both = [...fast, ...testFilesOf('rest')];

    expect(new Set(both).size).toBe(both.length);
    expect(both.sort()).toEqual(testFilesOf('all').sort());
  });

  test('has a test of every package', () => {
    const imported = new Set(
      [...texts].flatMap(([, text]) => importsIn(text)).map((name) => name.replace(/^(@jobline\/[\w-]+).*/, '$1')),
    );
    const untested = workspaces()
      .map(({ dir }) => dir)
      .filter(
        (dir) =>
          !fast.some((path) => path.startsWith(`${dir}/`) || path === `test/api/${dir.split('/')[1]}.test.ts`) &&
          !imported.has(`@jobline/${dir.split('/')[1]}`),
      );

    expect(untested).toEqual([]);
  });

  test('sends a request to every endpoint', () => {
    expect(Object.keys(ROWS).sort()).toEqual(Object.keys(endpoints).sort());
    expect(texts.get('test/api/matrix.test.ts')).toMatch(/it\.each\(Object\.entries\(ROWS\)\)/);
  });

  test('opens every page', () => {
    const routes = [...readRaw('apps/dashboard/src/router.tsx').matchAll(/^ {2}path: '([^']+)'/gm)];
    const opened = texts.get('test/browser/every-page.test.ts') ?? '';

    expect(routes.length).toBeGreaterThan(0);
    expect(routes.filter(([, path]) => !opened.includes(`'${path}': {`))).toEqual([]);
  });

  test('has a test of every promise', () => {
    const promises = tables(readDocument(DOCS.guarantees))
      .slice(0, 3)
      .flatMap((table) => table.slice(1));
    const untested = promises.filter(([, tests = '']) => !codeSpans(tests).some((path) => texts.has(path)));

    expect(promises.length).toBeGreaterThan(20);
    expect(untested.map(([promise]) => promise)).toEqual([]);
  });

  test('takes no longer than its time, by the recorded durations', () => {
    const durations = readDurations();
    const seconds = fast.reduce((sum, path) => sum + secondsOf(durations, path), 0);

    expect(seconds).toBeLessThanOrEqual(MAX_SECONDS);
    expect(Object.keys(durations).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
