import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { clientDocument, operationsTable } from './client-api.mjs';
import { npm, run } from './run.mjs';

/** TypeScript projects. Each tsconfig.json refers to the packages that its project needs. The API describes itself. */
const API = 'apps/api';
const OTHER_PROJECTS = ['apps/worker', 'packages/client', 'packages/devstack', 'test/harness/stack'];
const API_SOURCES = ['apps/api/src', 'packages', 'tsconfig.base.json'];
const CLIENT = 'packages/client';
const API_DESCRIPTION = `${CLIENT}/src/generated/openapi.json`;
const DASHBOARD = 'apps/dashboard';
const DASHBOARD_INPUTS = [
  ...['src', 'public', 'index.html', 'package.json', 'tsconfig.json', 'vite.config.ts'].map(
    (name) => `${DASHBOARD}/${name}`,
  ),
  'packages/contracts/src',
  `${CLIENT}/src`,
  `${CLIENT}/src/generated`,
];
const HELP = 'apps/help';
const HELP_INPUTS = [
  ...['layout', 'static', 'eleventy.config.mjs', 'package.json'].map((name) => `${HELP}/${name}`),
  ...['docs', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'test/browser/screenshots'],
];
const LOCK = 'package-lock.json';
const IGNORED = /^(node_modules|dist|generated|openapi\.json|.*\.test\.tsx?)$/;

/**
 * The Prisma CLI downloads an engine from outside the npm registry before it does anything, although `generate` does
 * not use the engine. Any executable that is named as the engine prevents the download.
 */
export const OFFLINE_PRISMA = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };

/** Runs each build step whose inputs are newer than its output. */
export async function build(root) {
  await step(root, 'packages/db/src/generated', ['prisma/schema.prisma', LOCK], () => {
    const prisma = join(root, 'node_modules/prisma/build/index.js');
    return run('Generating the database client', [prisma, 'generate'], { cwd: root, env: OFFLINE_PRISMA });
  });
  // The compiler keeps its own record of what has changed.
  const tsc = join(root, 'node_modules/typescript-native/bin/tsc');
  await run('Compiling the API', [tsc, '-b', API], { cwd: root });
  await step(root, API_DESCRIPTION, [...API_SOURCES, LOCK], () => generateClientTypes(root));
  await run('Compiling', [tsc, '-b', ...OTHER_PROJECTS], { cwd: root });
  await step(root, `${DASHBOARD}/dist`, [...DASHBOARD_INPUTS, LOCK], () =>
    replaceFolder(root, DASHBOARD, (next) => {
      const args = ['build', '--outDir', next, '--logLevel', 'warn'];
      const vite = npm('exec', '--workspace', DASHBOARD, '--', 'vite', ...args);
      return run('Bundling the dashboard', vite, { cwd: root, env: { NODE_ENV: 'production' } });
    }),
  );
  await step(root, `${HELP}/dist`, [...HELP_INPUTS, LOCK], () =>
    replaceFolder(root, HELP, (next) => {
      const eleventy = npm('exec', '--workspace', HELP, '--', 'eleventy', '--quiet', '--output', next);
      return run('Making the pages of the documentation', eleventy, { cwd: root });
    }),
  );
}

async function step(root, output, inputs, make) {
  const file = join(root, output);
  const changedAt = Math.max(...inputs.map((input) => changeTime(join(root, input))));
  if (existsSync(file) && statSync(file).mtimeMs >= changedAt) return;
  const startedAt = new Date();
  await make();
  utimesSync(file, startedAt, startedAt); // an input that changed during the step is newer than its output
}

/** The latest change of a file, or of a folder with all that it contains. A deleted file changes its folder. */
function changeTime(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const names = readdirSync(path).filter((name) => !IGNORED.test(name));
  return Math.max(stat.mtimeMs, ...names.map((name) => changeTime(join(path, name))));
}

/** Writes the types and the table of the operations of the client. The files stay untouched if the API has not changed. */
async function generateClientTypes(root) {
  const draft = join(root, '.jobline/openapi.json');
  await run('Describing the API', [join(root, 'apps/api/dist/openapi/write-document.js'), draft], { cwd: root });
  const document = JSON.parse(readFileSync(draft, 'utf8'));
  const [file, types, table] = ['openapi.json', 'api.ts', 'operations.ts'].map((name) =>
    join(root, CLIENT, 'src/generated', name),
  );
  const description = JSON.stringify(clientDocument(document));
  const operations = operationsTable(document);
  const isCurrent = (path, text) => existsSync(path) && readFileSync(path, 'utf8') === text;
  if (existsSync(types) && isCurrent(file, description) && isCurrent(table, operations)) return;
  mkdirSync(join(root, CLIENT, 'src/generated'), { recursive: true });
  writeFileSync(draft, description);
  // Fields with defaults are optional in requests, and an object may have any fields if the document names none.
  const options = ['--default-non-nullable=false', '--empty-objects-unknown'];
  const command = ['openapi-typescript', draft, '--output', types, ...options];
  const generate = npm('exec', '--workspace', CLIENT, '--', ...command);
  await run('Generating the types of the client', generate, { cwd: root });
  writeFileSync(table, operations);
  renameSync(draft, file); // last, so that an interrupted step runs again
}

/** Builds into a new folder and then swaps the folders: an API that starts in between serves the previous build. */
async function replaceFolder(root, app, make) {
  const [built, next] = [join(root, app, 'dist'), join(root, app, 'dist.new')];
  rmSync(next, { recursive: true, force: true });
  await make(next);
  rmSync(built, { recursive: true, force: true });
  renameSync(next, built);
}
