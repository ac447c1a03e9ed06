// Plain JavaScript without dependencies, because it runs before any are installed.
import { existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build, OFFLINE_PRISMA } from './build-steps.mjs';
import { Failed, npm, run } from './run.mjs';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Installs dependencies and builds, as far as something has changed, and then does `more`, or ends the process with an
 * explanation. Two processes that prepare the same folder wait for each other.
 */
export async function prepare(more = async () => undefined) {
  try {
    checkPlatform();
    await withLock(join(root, '.jobline/prepare.lock'), async () => {
      await installDependencies(root);
      await build(root);
      await more();
    });
  } catch (error) {
    const isExpected = error instanceof Failed || error.code === 'EACCES' || error.code === 'EROFS';
    console.error(isExpected ? error.message : error);
    process.exit(1);
  }
}

function checkPlatform() {
  const { node } = process.versions;
  const [major, minor] = node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    throw new Failed(`Jobline needs Node 20.19 or newer; this is ${node}. Install one from https://nodejs.org.`);
  if (process.platform === 'win32')
    throw new Failed('Jobline runs on Linux and macOS. On Windows, start it inside WSL.');
}

const HEARTBEAT_MS = 500;
const STALE_MS = 5_000;

/**
 * Runs the task while this process holds the lock file. A lock without a heartbeat belongs to a dead process and is
 * taken over.
 */
async function withLock(file, task) {
  mkdirSync(dirname(file), { recursive: true });
  for (let waits = 0; !tryLock(file); waits++) {
    if (waits === 0) console.log('Waiting for another process that is preparing this folder too.');
    await sleep(200);
  }
  const heartbeat = setInterval(() => utimesSync(file, new Date(), new Date()), HEARTBEAT_MS);
  try {
    return await task();
  } finally {
    clearInterval(heartbeat);
    rmSync(file, { force: true });
  }
}

function tryLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const { mtimeMs = Date.now() } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (Date.now() - mtimeMs > STALE_MS) rmSync(file, { force: true });
  return false;
}

const NPM_OPTIONS = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Installs exactly what the lock file of the folder names if the lock file is newer than the last completed install. Includes
 * development packages even if NODE_ENV is `production`, because the build needs them. Changes no tracked file.
 */
export async function installDependencies(folder, title = 'Installing dependencies') {
  // npm writes its record of an install last: after an interrupted first install there is none.
  const record = join(folder, 'node_modules/.package-lock.json');
  const wasInstalled = existsSync(record);
  if (wasInstalled && statSync(record).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs) return;
  // `npm ci` removes node_modules first, which another running start may be using; `npm install` changes only what
  // differs.
  const command = wasInstalled ? ['install', '--no-save'] : ['ci'];
  await run(title, npm(...command, ...NPM_OPTIONS), { cwd: folder, env: OFFLINE_PRISMA });
  utimesSync(record, new Date(), new Date()); // npm leaves the record alone if there was nothing to change
}
