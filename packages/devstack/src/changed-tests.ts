import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlainError } from './plain-error.js';

/** Tests that run the examples of the documents. */
const DOCUMENT_TESTS = [
  'test/journey/readme.test.ts',
  'test/journey/custom-handlers.test.ts',
  'test/journey/metrics.test.ts',
  'test/chaos/restore.test.ts',
  'test/chaos/payment-orders.test.ts',
];
/** Changed files that no test imports, and the tests that depend on them. */
const BY_PATH: readonly [RegExp, readonly string[]][] = [
  [/^apps\/dashboard\//, ['test/browser', 'test/api/pages.test.ts', 'apps/dashboard']],
  [/^docker\//, ['test/docker', 'test/journey/metrics.test.ts']],
  [/^(README|docs\/.+)\.md$/, DOCUMENT_TESTS],
  [/^packages\/devstack\//, ['test/devstack', 'packages/devstack']],
  [/^test\/devstack\//, ['test/devstack']],
];
/** Changes that can reach every test. */
const EVERYTHING =
  /^(package(-lock)?\.json|tsconfig\.base\.json|test\/vitest\.config\.ts|test\/harness\/global-setup\.ts|prisma\/)/;
/** They read the whole tree, documents included. */
const ALWAYS = ['test/architecture'];

/** Which tests changed files call for: all of them, or those under `paths` and those that import one of `sources`. */
export type ChangedTests = { kind: 'all' } | { kind: 'some'; paths: string[]; sources: string[] };

export function testsFor(files: readonly string[]): ChangedTests {
  if (files.some((file) => EVERYTHING.test(file))) return { kind: 'all' };
  const paths = BY_PATH.filter(([pattern]) => files.some((file) => pattern.test(file))).flatMap(([, tests]) => tests);
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith('apps/dashboard/'));
  return { kind: 'some', paths: [...new Set([...ALWAYS, ...paths])], sources };
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * The files for which the runner has to find tests: those that have changed since a commit, and the tests of what no test
 * imports. Null: every test is to run. Throws PlainError where git does not answer.
 */
export function relatedTo(since: string): string[] | null {
  const tests = testsFor(changedFiles(since));
  if (tests.kind === 'all') return null;
  return [...tests.sources, ...tests.paths.flatMap(testFilesAt)].map((file) => join(ROOT, file));
}

/** The files that differ from a commit, new ones included, as paths from the root. */
function changedFiles(since: string): string[] {
  const ask = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
    if (status !== 0) throw new PlainError(`git ${args.join(' ')} failed: ${stderr.trim()}`);
    return stdout.split('\n').filter(Boolean);
  };
  return [...ask('diff', '--name-only', since), ...ask('ls-files', '--others', '--exclude-standard')];
}

function testFilesAt(path: string): string[] {
  if (statSync(join(ROOT, path)).isFile()) return [path];
  const names = readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => join(path, name));
}
