import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from './run.mjs';
import { OFFLINE_PRISMA } from './sources.mjs';

/**
 * Compares the lock file with npm's own record of what it installed, which npm writes last: an interrupted install has
 * none. So an install by hand counts too, and one that failed half-way does not.
 */
export function areDependenciesInstalled(root) {
  if (!existsSync(recordOf(root))) return false;
  const lockFile = join(root, 'package-lock.json');
  if (!existsSync(lockFile)) return true;
  const wanted = packagesIn(lockFile);
  const installed = packagesIn(recordOf(root));
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.includes('node_modules/')) return true; // the root and the workspaces themselves
    const found = installed[path];
    if (found === undefined) return entry.optional === true || entry.devOptional === true; // made for another platform
    return found.version === entry.version && found.link === entry.link;
  });
}

const OPTIONS = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Exactly what the lock file names, development packages included whatever NODE_ENV says: the build needs them. Changes
 * no file of the clone. `npm ci` removes `node_modules` first, so it runs only where no install has been completed.
 * After that `npm install` changes only what differs from the lock file: another start may be using the rest.
 */
export async function installDependencies(root) {
  const [command, first] = npmCommand();
  const install = existsSync(recordOf(root)) ? ['install', '--no-save'] : ['ci'];
  const args = [...first, ...install, ...OPTIONS];
  await run('Installing dependencies', command, args, { cwd: root, env: OFFLINE_PRISMA });
}

function recordOf(root) {
  return join(root, 'node_modules', '.package-lock.json');
}

/** The npm that started us, so that no other version from the PATH takes part. */
export function npmCommand() {
  const cli = process.env.npm_execpath;
  return cli && basename(cli) === 'npm-cli.js' && existsSync(cli) ? [process.execPath, [cli]] : ['npm', []];
}

function packagesIn(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}
