import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { CHECKS, type WatchdogData } from './watchdog-thread.js';

/**
 * Ends the process when its event loop has stood still for so long: other workers have its jobs by then, and it could never
 * notice. A thread of its own counts; a process that is stopped and goes on later has lost no time by its count, nor has one
 * that got no processor because the machine is busy: it must have used CPU time meanwhile, or have stood still ten times
 * as long. Optionally ends it also when it uses too much memory.
 */
export function startWatchdog({
  limitMs,
  maxMemoryBytes = null,
}: {
  limitMs: number;
  maxMemoryBytes?: number | null;
}): void {
  // A breakpoint stands still for as long as somebody looks.
  if (inspectorUrl() !== undefined) return;
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: WatchdogData = { beats, limitMs, maxMemoryBytes };
  new Worker(new URL('./watchdog-thread.js', import.meta.url), { workerData, execArgv: [] }).unref();
  setInterval(() => Atomics.add(beats, 0, 1), limitMs / CHECKS).unref();
}
