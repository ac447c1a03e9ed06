import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

export interface WatchdogOptions {
  /** As the process's log names it. */
  app: string;
  /** How long the event loop may stand still. */
  limitMs: number;
  /** Absent: memory is not watched. */
  maxMemoryBytes?: number;
}

/** What the thread gets. */
export interface WatchdogData {
  /** Counted up by the event loop that is watched. */
  beats: Int32Array;
  app: string;
  limitMs: number;
  maxMemoryBytes: number;
}

/** How often within the limit the thread looks, and the watched loop shows that it turns. */
export const CHECKS = 10;

/**
 * Ends the process when its event loop has stood still for so long: nothing inside it could react any more, and its
 * supervisor starts another one. A thread of its own counts; a process that is stopped and goes on later has lost no time
 * by its count, nor has one that got no processor because the machine is busy: it must have used CPU time meanwhile, or
 * have stood still ten times as long. Optionally ends it also when it uses too much memory.
 */
export function startWatchdog({ app, limitMs, maxMemoryBytes = Number.POSITIVE_INFINITY }: WatchdogOptions): void {
  // A breakpoint stands still for as long as somebody looks.
  if (inspectorUrl() !== undefined) return;
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: WatchdogData = { beats, app, limitMs, maxMemoryBytes };
  new Worker(new URL('./watchdog-thread.js', import.meta.url), { workerData, execArgv: [] }).unref();
  setInterval(() => Atomics.add(beats, 0, 1), limitMs / CHECKS).unref();
}
