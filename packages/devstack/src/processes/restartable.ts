import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, describeExit, type Exit, endChild } from './child.js';
import { logSize, tailOf } from './log-file.js';
import { childrenOf, signalIfRunning, untilEnded } from './process-id.js';
import { PlainError, reasonOf } from './terminal.js';

/** A process that can be started again after it has ended. */
export interface Restartable {
  readonly name: string;
  readonly logFile: string;
  /** Undefined while it does not run. */
  pid(): number | undefined;
  /** Resolves when the process is ready. Throws PlainError, with the end of its log, if it ends before. */
  start(): Promise<void>;
  /** Resolves when the process has ended; immediately if none runs. */
  exited(): Promise<Exit>;
  /** Asks the process to end and kills it after a limit. */
  stop(): Promise<void>;
  /** Sends SIGKILL to the process and its children. Resolves when all of them have ended. */
  kill(): Promise<void>;
}

export interface ProcessParts {
  name: string;
  logFile: string;
  launch(): Promise<Child>;
  isReady(child: Child): boolean | Promise<boolean>;
  /** By default SIGINT. */
  stopSignal?: NodeJS.Signals;
}

const READY_LIMIT_MS = 120_000;

export function createRestartable({ name, logFile, launch, isReady, stopSignal }: ProcessParts): Restartable {
  let child: Child | undefined;

  async function start(): Promise<void> {
    const sizeBefore = logSize(logFile);
    child = await launch();
    for (const until = performance.now() + READY_LIMIT_MS; !child.hasExited(); await sleep(25)) {
      if (await isReady(child)) return;
      if (performance.now() < until) continue;
      await endChild(child, stopSignal);
      throw new PlainError(`${name} was not ready after ${READY_LIMIT_MS / 1_000} s; see ${logFile}.`);
    }
    const exit = describeExit(await child.exited);
    throw new PlainError(
      `${name} ended while starting (${exit}). The end of ${logFile}:\n${tailOf(logFile, sizeBefore)}`,
    );
  }

  return {
    name,
    logFile,
    pid: () => (child?.hasExited() ? undefined : child?.pid),
    start,
    exited: async () => (child ? child.exited : 0),
    async stop() {
      if (child) await endChild(child, stopSignal);
    },
    async kill() {
      if (!child || child.hasExited()) return;
      const family = childrenOf(child.pid);
      for (const { pid } of [child, ...family]) signalIfRunning(pid, 'SIGKILL');
      await child.exited;
      for (const one of family) await untilEnded(one, 5_000);
    },
  };
}

const RESTART_DELAY_MS = 1_000;

/** Restarts a process whenever it ends, until `stopping` fires. */
export async function keepRunning(
  process: Restartable,
  report: (line: string) => void,
  stopping: AbortSignal,
): Promise<void> {
  for (;;) {
    const exit = await process.exited();
    if (stopping.aborted) return;
    report(`${process.name} ended (${describeExit(exit)}); it restarts.`);
    await sleep(RESTART_DELAY_MS);
    if (stopping.aborted) return;
    await process.start().catch((error: unknown) => {
      if (!stopping.aborted) report(reasonOf(error));
    });
  }
}
