import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@jobline/runtime';

/** A folder for one browser's profile, which says whose it is: this machine's, this process's, not a later one's. */
export async function createProfileDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), `jobline-browser_${HOST}_${process.pid}_${STARTED_AT}_`));
}

export async function removeProfileDir(dir: string): Promise<void> {
  // The browser's processes end one after the other, and the last may still write.
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Removes the profiles of processes that were killed before they could. What cannot be removed stays, and is told. */
export async function removeStaleProfileDirs(log: Logger | undefined): Promise<void> {
  for (const dir of (await readdir(tmpdir())).filter(isStale).map((name) => join(tmpdir(), name))) {
    try {
      if ((await lstat(dir)).uid === userInfo().uid) await removeProfileDir(dir);
    } catch (error) {
      log?.warn('a browser profile could not be removed', { dir, error });
    }
  }
}

function isStale(name: string): boolean {
  const [, host, pid, startedAt] = /^jobline-browser_([\w.-]+?)_(\d+)_(\d+)_/.exec(name) ?? [];
  if (host !== HOST) return false;
  // In a container every process may have the same id: what is not our own any more shows by the time.
  if (Number(pid) === process.pid) return Number(startedAt) !== STARTED_AT;
  return existsSync('/proc/self') && !existsSync(`/proc/${pid}`);
}

const HOST = hostname().replace(/[^\w.-]/g, '-');
const STARTED_AT = Math.floor(performance.timeOrigin);
