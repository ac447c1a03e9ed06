import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';

/** The browser app: it is bundled, not compiled, and its types of the API are made from the API's own document. */
export const DASHBOARD = 'apps/dashboard';

const dir = (root) => join(root, DASHBOARD);
const generated = (root) => join(dir(root), 'src/generated');

/** What the bundler reads beside the folder `src`. */
export const dashboardFiles = ['index.html', 'package.json', 'tsconfig.json', 'vite.config.ts', 'public'];

export function isDashboardThere(root) {
  return existsSync(join(dir(root), 'dist/index.html')) && existsSync(join(generated(root), 'api.ts'));
}

/** After the compiler: the document is what the compiled API says of itself. */
export async function makeApiTypes(root) {
  mkdirSync(generated(root), { recursive: true });
  const file = join(generated(root), 'openapi.json');
  const types = join(generated(root), 'api.ts');
  const draft = `${file}.draft`;
  const write = join(root, 'apps/api/dist/openapi/write-document.js');
  await run('Describing the API', process.execPath, [write, draft], { cwd: root });
  const isSame = existsSync(file) && existsSync(types) && hashOf(file) === hashOf(draft);
  if (isSame) return rmSync(draft);
  const generate = findPackage(root, 'openapi-typescript/bin/cli.js');
  await run('Making types of the API', process.execPath, [generate, draft, '--output', types], { cwd: root });
  renameSync(draft, file); // last: only then are the types those of the document
}

/** Into a folder of its own, put in place when it is whole: an API that starts meanwhile serves the one before. */
export async function bundleDashboard(root) {
  const vite = findPackage(root, 'vite/bin/vite.js');
  const args = [vite, 'build', '--outDir', 'dist.new', '--emptyOutDir', '--logLevel', 'warn'];
  await run('Bundling the dashboard', process.execPath, args, { cwd: dir(root), env: { NODE_ENV: 'production' } });
  rmSync(join(dir(root), 'dist'), { recursive: true, force: true });
  renameSync(join(dir(root), 'dist.new'), join(dir(root), 'dist'));
}

/** npm puts a package into the workspace only where the root has another version of it. */
function findPackage(root, path) {
  const own = join(dir(root), 'node_modules', path);
  return existsSync(own) ? own : join(root, 'node_modules', path);
}

function hashOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
