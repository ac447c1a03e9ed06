import { existsSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { OFFLINE_PRISMA } from './build-steps.mjs';
import { npm, run } from './run.mjs';

const OPTIONS = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Installs exactly what the lock file names if the lock file is newer than the last completed install. Includes
 * development packages even if NODE_ENV is `production`, because the build needs them. Changes no tracked file.
 */
export async function installDependencies(root) {
  // npm writes its record of an install last: after an interrupted first install there is none.
  const record = join(root, 'node_modules/.package-lock.json');
  const wasInstalled = existsSync(record);
  if (wasInstalled && statSync(record).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs) return;
  // `npm ci` removes node_modules first, which another running start may be using; `npm install` changes only what
  // differs.
  const command = wasInstalled ? ['install', '--no-save'] : ['ci'];
  await run('Installing dependencies', npm(...command, ...OPTIONS), { cwd: root, env: OFFLINE_PRISMA });
  utimesSync(record, new Date(), new Date()); // npm leaves the record alone if there was nothing to change
}
