import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundleDashboard, DASHBOARD, dashboardFiles, isDashboardThere, makeApiTypes } from './dashboard.mjs';
import { run } from './run.mjs';

/** The apps and this room; their tsconfig.json files name everything else. */
const PROJECTS = ['apps/api', 'apps/worker', 'packages/devstack', 'test/harness/stack'];

/**
 * Prisma's command line downloads an engine from outside the npm registry before anything else, although `generate`
 * does not use it. Naming any executable as the engine keeps it from asking.
 */
export const OFFLINE_PRISMA = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };

export function isBuilt(root) {
  return (
    isClientCurrent(root) &&
    readText(buildStamp(root)) === sourcesState(root) &&
    areOutputsThere(root) &&
    readText(dashboardStamp(root)) === dashboardState(root) &&
    isDashboardThere(root)
  );
}

/** The database client first, because the code that is compiled imports it; the dashboard last, because its types are made by that. */
export async function buildSources(root) {
  if (!isClientCurrent(root)) {
    const state = schemaState(root);
    const prisma = join(root, 'node_modules/prisma/build/index.js');
    await run('Generating the database client', process.execPath, [prisma, 'generate'], {
      cwd: root,
      env: OFFLINE_PRISMA,
    });
    writeFileSync(clientStamp(root), state);
  }
  // Taken before the compiler reads: a file that changes meanwhile is seen as changed the next time.
  const state = sourcesState(root);
  if (readText(buildStamp(root)) !== state || !areOutputsThere(root)) {
    const tsc = join(root, 'node_modules/typescript-native/bin/tsc');
    await run('Compiling', process.execPath, [tsc, '-b', ...PROJECTS], { cwd: root });
    await makeApiTypes(root);
    writeFileSync(buildStamp(root), state);
  } else if (!isDashboardThere(root)) {
    await makeApiTypes(root);
  }
  const seen = dashboardState(root);
  if (readText(dashboardStamp(root)) === seen && isDashboardThere(root)) return;
  await bundleDashboard(root);
  writeFileSync(dashboardStamp(root), seen);
}

const clientStamp = (root) => join(root, 'packages/db/src/generated/.stamp');
const buildStamp = (root) => join(root, 'packages/devstack/dist/.stamp');
const dashboardStamp = (root) => join(root, DASHBOARD, 'dist/.stamp');

function isClientCurrent(root) {
  return readText(clientStamp(root)) === schemaState(root);
}

function schemaState(root) {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/prisma/package.json'), 'utf8'));
  return hash([version, readFileSync(join(root, 'prisma/schema.prisma'), 'utf8')]);
}

/** Names, sizes and times of all that the compiler reads. */
function sourcesState(root) {
  const files = projectsOf(root).flatMap((project) => [
    join(root, project, 'package.json'),
    join(root, project, 'tsconfig.json'),
    ...filesUnder(join(root, project, 'src')),
  ]);
  files.push(join(root, 'tsconfig.base.json'), join(root, 'node_modules/.package-lock.json'));
  return stateOf(root, files);
}

/** Of all that is bundled: the dashboard, the words that it shares, and its types of the API. */
function dashboardState(root) {
  const files = ['src', ...dashboardFiles].flatMap((name) => filesAt(join(root, DASHBOARD, name)));
  files.push(...filesUnder(join(root, 'packages/contracts/src')), join(root, 'node_modules/.package-lock.json'));
  return stateOf(root, files);
}

function stateOf(root, files) {
  return hash(
    files.sort().map((file) => {
      const { size, mtimeMs } = statSync(file);
      return `${relative(root, file)} ${size} ${mtimeMs}`;
    }),
  );
}

function areOutputsThere(root) {
  return projectsOf(root).every((project) => existsSync(join(root, project, 'dist/.tsbuildinfo')));
}

/** The projects and all that they refer to, each once. */
function projectsOf(root) {
  const found = new Set();
  const visit = (project) => {
    if (found.has(project)) return;
    found.add(project);
    const { references = [] } = JSON.parse(readFileSync(join(root, project, 'tsconfig.json'), 'utf8'));
    for (const { path } of references) visit(relative(root, join(root, project, path)));
  };
  for (const project of PROJECTS) visit(project);
  return [...found];
}

function filesAt(path) {
  return existsSync(path) && statSync(path).isFile() ? [path] : filesUnder(path);
}

function filesUnder(dir) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts') && entry.name !== '.stamp')
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

function readText(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

function hash(lines) {
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
