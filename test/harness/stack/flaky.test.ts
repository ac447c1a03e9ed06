import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decideFlaky, type RunResult } from './flaky.js';

let dir: string;
let said: string[];
let again: string[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'jobline-test-flaky-'));
  said = [];
  again = [];
});
afterEach(() => rmSync(dir, { recursive: true }));

const PASSED: RunResult = { passed: 4, failed: 0, skipped: 0, failedFiles: [], hasOtherFailures: false };
const file = (path: string) => ({ path, passed: 3, output: [`FAIL  ${path} > a job: boom`] });
const failedIn = (...paths: string[]): RunResult => ({
  ...{ passed: 100, failed: paths.length, skipped: 0, failedFiles: paths.map(file), hasOtherFailures: false },
});

/** Decides about a run with this result, whose files then run again with the second one. */
function decide(result: RunResult | null, second: RunResult | null = PASSED): Promise<number> {
  return decideFlaky({
    ...{ exitCode: result?.failed === 0 ? 0 : 1, result, noteFile: join(dir, 'note'), say: (line) => said.push(line) },
    async again(path) {
      again.push(path);
      return { exitCode: second?.failed === 0 ? 0 : 1, result: second };
    },
  });
}

const note = () => readFileSync(join(dir, 'note'), 'utf8');

describe('a run of tests in which', () => {
  test('nothing failed has passed, and nothing runs again', async () => {
    expect([await decide(PASSED), again]).toEqual([0, []]);
  });

  test('one file failed has passed if the file passes alone, and is noted with both outputs', async () => {
    expect(await decide(failedIn('test/x.test.ts'))).toBe(0);

    expect(again).toEqual(['test/x.test.ts']);
    expect(note()).toContain('FLAKY  test/x.test.ts');
    expect(note()).toContain('FAIL  test/x.test.ts > a job: boom');
    expect(note()).toContain('4 passed, 0 failed, 0 skipped');
    expect(said.at(-1)).toBe('101 passed, 0 failed, 0 skipped');
  });

  test('one file failed twice has failed', async () => {
    expect(await decide(failedIn('test/x.test.ts'), failedIn('test/x.test.ts'))).toBe(1);

    expect(said.at(-1)).toBe('100 passed, 1 failed, 0 skipped');
    expect(note).toThrow();
  });

  test('one file failed has failed if the second run ends without a result', async () => {
    expect(await decide(failedIn('test/x.test.ts'), null)).toBe(1);
  });

  test('two files failed has failed, and nothing runs again', async () => {
    expect([await decide(failedIn('test/x.test.ts', 'test/y.test.ts')), again]).toEqual([1, []]);
  });

  test('a second file of the same check is flaky has failed', async () => {
    writeFileSync(join(dir, 'note'), 'FLAKY  test/w.test.ts');

    expect([await decide(failedIn('test/x.test.ts')), again]).toEqual([1, []]);
  });

  test('something failed outside of a file, or that was skipped, or that ended early has failed', async () => {
    const one = failedIn('test/x.test.ts');

    for (const result of [{ ...one, hasOtherFailures: true }, { ...one, skipped: 1 }, null]) {
      expect([await decide(result), again]).toEqual([1, []]);
    }
  });
});
