import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PlainError } from '@jobline/devstack';

/** Tests that run the examples of the documents. */
const DOCUMENT_TESTS = [
  'test/journey/readme.test.ts',
  'test/journey/custom-handlers.test.ts',
  'test/journey/own-job-type.test.ts',
  'test/journey/order-to-receipt.test.ts',
  'test/journey/receive-events.test.ts',
  'test/journey/metrics.test.ts',
  'test/api/help.test.ts',
  'test/client/docs.test.ts',
  'test/client/cli-docs.test.ts',
  'test/client/package.test.ts',
  'test/chaos/restore.test.ts',
  'test/chaos/payment-orders.test.ts',
];
/** Files that no test imports, and the tests that depend on them. */
const BY_PATH: readonly [RegExp, readonly string[]][] = [
  [/^apps\/dashboard\//, ['test/browser', 'test/api/pages.test.ts', 'apps/dashboard']],
  [/^apps\/help\//, ['test/api/help.test.ts', 'test/browser/help.test.ts']],
  [/^docker\//, ['test/docker', 'test/journey/metrics.test.ts']],
  [/^(README|docs\/.+)\.md$/, DOCUMENT_TESTS],
  [/^packages\/devstack\//, ['test/devstack', 'packages/devstack']],
  [/^test\/harness\/stack\//, ['test/harness/stack']],
  [/^test\/devstack\//, ['test/devstack']],
];
/** Files that can affect every test. */
const EVERYTHING =
  /^(package(-lock)?\.json|tsconfig\.base\.json|test\/vitest\.config\.ts|test\/harness\/global-setup\.ts|prisma\/)/;
/** These tests read the whole tree, documents included. */
const ALWAYS = ['test/architecture'];

/** The tests that changed files affect: all, or those under `paths` and those that import one of `sources`. */
export type ChangedTests = { kind: 'all' } | { kind: 'some'; paths: string[]; sources: string[] };

export function testsFor(files: readonly string[]): ChangedTests {
  if (files.some((file) => EVERYTHING.test(file))) return { kind: 'all' };
  const paths = BY_PATH.filter(([pattern]) => files.some((file) => pattern.test(file))).flatMap(([, tests]) => tests);
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith('apps/dashboard/'));
  return { kind: 'some', paths: [...new Set([...ALWAYS, ...paths])], sources };
}

/**
 * The files whose tests the runner must find: those that have changed since a commit, and the tests of changed files
 * that no test imports. Null if every test must run. Throws PlainError if git fails.
 */
export function relatedTo(root: string, since: string): string[] | null {
  const tests = testsFor(changedFiles(root, since));
  if (tests.kind === 'all') return null;
  return [...tests.sources, ...tests.paths.flatMap((path) => testFilesAt(root, path))].map((file) => join(root, file));
}

/** The files that differ from a commit, new files included, as paths from the root. */
function changedFiles(root: string, since: string): string[] {
  const git = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new PlainError(`git ${args.join(' ')} failed: ${stderr.trim()}`);
    return stdout.split('\n').filter(Boolean);
  };
  return [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')];
}

function testFilesAt(root: string, path: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path];
  const names = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => join(path, name));
}
