import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, describeExit, type Exit, endChild, hasEnded, pause } from './child.js';
import { logSize, tailOf } from './log-file.js';
import { PlainError, reasonOf } from './plain-error.js';
import { childrenOf, signalIfRunning } from './process-id.js';

/** A process that can be started again after it has ended. */
export interface Restartable {
  readonly name: string;
  /** Undefined while it does not run. */
  pid(): number | undefined;
  /** Resolves when the process is ready. Throws StartError if it ends before. */
  start(): Promise<void>;
  /** Resolves when the process has ended; immediately if none runs. */
  exited(): Promise<Exit>;
  /** Asks the process to end and kills it after a limit, or as soon as `hurry` fires. */
  stop(hurry?: AbortSignal): Promise<void>;
  /** Sends SIGKILL to the process and its children. Resolves when all of them have ended. */
  kill(): Promise<void>;
}

export interface ProcessParts {
  name: string;
  logFile: string;
  launch(): Promise<Child>;
  isReady(child: Child): boolean | Promise<boolean>;
  /** Whether a start that failed with this log output may succeed a moment later. */
  isTransient?(output: string): boolean;
  stopSignal: NodeJS.Signals;
  stopLimitMs: number;
}

const READY_LIMIT_MS = 120_000;
const TRANSIENT_LIMIT_MS = 10_000;

export function createRestartable(parts: ProcessParts): Restartable {
  const { name, logFile, stopSignal, stopLimitMs } = parts;
  let child: Child | undefined;
  let isStopping = false;

  async function start(): Promise<void> {
    isStopping = false;
    for (const giveUpAt = performance.now() + TRANSIENT_LIMIT_MS; ; await sleep(200)) {
      const sizeBefore = logSize(logFile);
      child = await parts.launch();
      if (isStopping) await endChild(child, stopSignal, stopLimitMs); // `stop` was called before the child existed
      if (await becomesReady(parts, child)) return;
      const output = tailOf(logFile, sizeBefore);
      if (isStopping) throw new PlainError(`${name} was stopped while it started.`);
      const isTransient = parts.isTransient?.(output) && performance.now() < giveUpAt;
      if (!isTransient) throw new StartError(parts, await child.exited, output);
    }
  }

  return {
    name,
    pid: () => (child && !child.exit() ? child.pid : undefined),
    start,
    exited: async () => (child ? child.exited : { code: null, signal: null }),
    async stop(hurry) {
      isStopping = true;
      if (child) await endChild(child, stopSignal, stopLimitMs, hurry);
    },
    async kill() {
      if (!child || child.exit()) return;
      const family = childrenOf(child.pid);
      for (const { pid } of [child, ...family]) signalIfRunning(pid, 'SIGKILL');
      await child.exited;
      for (const one of family) await hasEnded(one, 5_000);
    },
  };
}

/** The process ended before it was ready. */
export class StartError extends PlainError {
  constructor(
    { name, logFile }: ProcessParts,
    exit: Exit,
    readonly output: string,
  ) {
    super(`${name} ended while starting (${describeExit(exit)}). The end of ${logFile}:\n${output.trimEnd()}`);
  }
}

async function becomesReady(parts: ProcessParts, child: Child): Promise<boolean> {
  for (const until = performance.now() + READY_LIMIT_MS; !child.exit(); await sleep(25)) {
    if (await parts.isReady(child)) return true;
    if (performance.now() < until) continue;
    await endChild(child, parts.stopSignal, parts.stopLimitMs);
    throw new PlainError(`${parts.name} was not ready after ${READY_LIMIT_MS / 1_000} s; see ${parts.logFile}.`);
  }
  return false;
}

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 5_000;
/** A process that has run for this long does not fail in a loop. */
const STABLE_MS = 30_000;

/** Restarts a process whenever it ends, with growing delays. Returns a function that stops the process for good. */
export function keepRunning(
  process: Restartable,
  report: (line: string) => void,
): (hurry: AbortSignal) => Promise<void> {
  const stopping = new AbortController();

  async function keep(): Promise<void> {
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
      const startedAt = performance.now();
      const exit = await process.exited();
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt > STABLE_MS) delayMs = FIRST_DELAY_MS;
      report(`${process.name} ended (${describeExit(exit)}); it restarts in ${delayMs / 1_000} s.`);
      await pause(delayMs, stopping.signal);
      if (stopping.signal.aborted) return;
      await process.start().catch((error: unknown) => {
        if (!stopping.signal.aborted) report(reasonOf(error));
      });
    }
  }

  const kept = keep();
  return async (hurry) => {
    stopping.abort();
    await process.stop(hurry);
    await kept;
  };
}
