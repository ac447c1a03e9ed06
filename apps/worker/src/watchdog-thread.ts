import { writeSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

export interface WatchdogData {
  /** Counted up by the event loop that is watched. */
  beats: Int32Array;
  limitMs: number;
  maxMemoryBytes: number | null;
}

/** How often within the limit it looks, and the watched loop shows that it turns. */
export const CHECKS = 10;
/** Without so much CPU time, as a share of the limit, a process has been kept waiting for a processor. */
const CPU_SHARE = 1 / 2;
/** What stands still without CPU time, such as a call that waits for a disk, is given so many times the limit. */
const PATIENCE = 10;

if (!isMainThread) watch(workerData);

function watch({ beats, limitMs, maxMemoryBytes }: WatchdogData): void {
  let seen = -1;
  let missed = 0;
  let usedMs = 0;
  setInterval(() => {
    const now = Atomics.load(beats, 0);
    missed = now === seen ? missed + 1 : 0;
    seen = now;
    if (missed === 0) usedMs = cpuMs();
    const isBusy = cpuMs() - usedMs >= limitMs * CPU_SHARE;
    if (missed >= (isBusy ? CHECKS : PATIENCE * CHECKS)) end(`the event loop has stood still for ${limitMs} ms`);
    if (maxMemoryBytes !== null && process.memoryUsage.rss() > maxMemoryBytes) {
      end(`the process uses more than ${maxMemoryBytes} bytes of memory`);
    }
  }, limitMs / CHECKS);
}

/** Of the whole process. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Nothing gentler reaches a loop that does not turn. In the form of the process's log. */
function end(message: string): void {
  const line = { app: 'worker', level: 'error', message: `${message}: ending it`, timestamp: new Date().toISOString() };
  writeSync(1, `${JSON.stringify(line)}\n`);
  process.kill(process.pid, 'SIGKILL');
}
