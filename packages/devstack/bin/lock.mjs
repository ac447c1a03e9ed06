import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs the task while holding the lock file. A lock whose process has ended is taken over. */
export async function withLock(file, task) {
  const mine = `${process.pid} ${startedAt(process.pid)}`;
  mkdirSync(dirname(file), { recursive: true });
  for (let waits = 0; !tryTake(file, mine); waits++) {
    const holder = read(file);
    if (holder === null) continue;
    if (isAlive(holder)) {
      if (waits === 0) console.log(`Waiting for process ${holder.split(' ')[0]}, which is setting up this folder too.`);
      await sleep(200);
    } else if (read(file) === holder) {
      rmSync(file, { force: true });
    }
  }
  const release = () => {
    if (read(file) === mine) rmSync(file, { force: true });
  };
  process.once('exit', release);
  try {
    return await task();
  } finally {
    process.off('exit', release);
    release();
  }
}

function tryTake(file, mine) {
  try {
    writeFileSync(file, mine, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

/** An id may have been given to another process since: its start time must agree where the system tells it. */
function isAlive(holder) {
  const [pid, started] = holder.split(' ');
  if (startedAt(pid) !== started) return false;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Clock ticks since boot; `unknown` where there is no /proc, and empty for a process that has ended. */
function startedAt(pid) {
  const self = read('/proc/self/stat');
  if (self === null) return 'unknown';
  const stat = read(`/proc/${pid}/stat`) ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
