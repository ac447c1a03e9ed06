import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { CHECKS, type WatchdogData } from './watchdog.js';

/** A process that used less CPU time than this share of the limit was waiting for a processor. */
const CPU_SHARE = 1 / 2;
/** A loop that is blocked without CPU time, such as by a call that waits for a disk, gets this many times the limit. */
const PATIENCE = 10;

watch(workerData);

function watch({ beats, app, limitMs, maxMemoryBytes }: WatchdogData): void {
  let seen = -1;
  let missed = 0;
  let usedMs = 0;
  let seenAtMs = 0;
  setInterval(() => {
    const now = Atomics.load(beats, 0);
    missed = now === seen ? missed + 1 : 0;
    seen = now;
    if (missed === 0) {
      usedMs = cpuMs();
      seenAtMs = performance.now();
    }
    const isBusy = cpuMs() - usedMs >= limitMs * CPU_SHARE;
    if (missed >= (isBusy ? CHECKS : PATIENCE * CHECKS)) {
      end(app, `the event loop was blocked for ${Math.round(performance.now() - seenAtMs)} ms`);
    }
    if (process.memoryUsage.rss() > maxMemoryBytes) {
      end(app, `the process uses more than ${maxMemoryBytes} bytes of memory`);
    }
  }, limitMs / CHECKS);
}

/** CPU time of the whole process. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** A blocked event loop reacts to no other signal. The line has the form of the process's log. */
function end(app: string, message: string): void {
  const line = { app, level: 'error', message: `${message}: killing the process`, timestamp: new Date().toISOString() };
  writeSync(1, `${JSON.stringify(line)}\n`);
  process.kill(process.pid, 'SIGKILL');
}
