import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

interface WatchdogOptions {
  /** The name of the app in its log. */
  app: string;
  /** How long the event loop may be blocked. */
  limitMs: number;
  /** Absent: memory is not watched. */
  maxMemoryBytes?: number;
}

/** The data that the thread gets. */
export interface WatchdogData {
  /** The watched event loop increments it. */
  beats: Int32Array;
  app: string;
  limitMs: number;
  maxMemoryBytes: number;
}

/** How many times per limit the thread checks, and the watched loop increments its counter. */
export const CHECKS = 10;

/**
 * Kills the process when its event loop was blocked for `limitMs`. A blocked process cannot react to anything, and its
 * supervisor starts another one. A separate thread counts the time. A process that was suspended and continues
 * later has lost no time by that count, nor has one that got no processor because the machine is busy: the process must
 * have used CPU time meanwhile, or have been blocked ten times as long. Optionally also kills the process when it uses
 * too much memory.
 */
export function startWatchdog({ app, limitMs, maxMemoryBytes = Number.POSITIVE_INFINITY }: WatchdogOptions): void {
  // A breakpoint blocks the event loop for as long as a developer looks at it.
  if (inspectorUrl() !== undefined) return;
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: WatchdogData = { beats, app, limitMs, maxMemoryBytes };
  new Worker(new URL('./watchdog-thread.js', import.meta.url), { workerData, execArgv: [] }).unref();
  setInterval(() => Atomics.add(beats, 0, 1), limitMs / CHECKS).unref();
}
