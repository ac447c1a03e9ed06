import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@jobline/runtime';

/**
 * Creates a folder for the profile of one browser. Its name identifies the machine and the process, so that a later
 * process does not mistake it for its own.
 */
export async function createProfileDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), `jobline-browser_${HOST}_${process.pid}_${STARTED_AT}_`));
}

export async function removeProfileDir(dir: string): Promise<void> {
  // The processes of the browser end one after another, and the last one may still write.
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/**
 * Removes the profiles of processes that were killed before they could do so. A profile that cannot be removed is
 * logged and stays.
 */
export async function removeStaleProfileDirs(log: Logger | undefined): Promise<void> {
  for (const dir of (await readdir(tmpdir())).filter(isStale).map((name) => join(tmpdir(), name))) {
    try {
      if ((await lstat(dir)).uid === userInfo().uid) await removeProfileDir(dir);
    } catch (error) {
      log?.warn('could not remove a browser profile', { dir, error });
    }
  }
}

function isStale(name: string): boolean {
  const [, host, pid, startedAt] = /^jobline-browser_([\w.-]+?)_(\d+)_(\d+)_/.exec(name) ?? [];
  if (host !== HOST) return false;
  // In a container, different processes may have had the same id. The start time distinguishes our own profile from older ones.
  if (Number(pid) === process.pid) return Number(startedAt) !== STARTED_AT;
  return existsSync('/proc/self') && !existsSync(`/proc/${pid}`);
}

const HOST = hostname().replace(/[^\w.-]/g, '-');
const STARTED_AT = Math.floor(performance.timeOrigin);
