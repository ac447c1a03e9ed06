import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const HEARTBEAT_MS = 500;
const STALE_MS = 5_000;

/**
 * Runs the task while this process holds the lock file. A lock without a heartbeat belongs to a dead process and is
 * taken over.
 */
export async function withLock(file, task) {
  mkdirSync(dirname(file), { recursive: true });
  for (let waits = 0; !tryLock(file); waits++) {
    if (waits === 0) console.log('Waiting for another process that is preparing this folder too.');
    await sleep(200);
  }
  const heartbeat = setInterval(() => utimesSync(file, new Date(), new Date()), HEARTBEAT_MS);
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await task();
  } finally {
    clearInterval(heartbeat);
    process.off('exit', release);
    release();
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
