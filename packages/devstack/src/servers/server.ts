import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, describeExit, type Exit, endChild, hasEnded } from '../processes/child.js';
import { logSize, tailOf } from '../processes/log-file.js';
import { PlainError } from '../processes/plain-error.js';
import { childrenOf, signalIfRunning } from '../processes/processes.js';

/** A process that can be started again after it has ended, with the same address and data. */
export interface Startable {
  readonly name: string;
  /** Resolves once it can be used. */
  start(): Promise<void>;
  /** Resolves once what is running has ended; at once if nothing is. */
  exited(): Promise<Exit>;
  /** In good order within a limit, else by force; at once by force when the signal fires. No start follows. */
  stop(hurry?: AbortSignal): Promise<void>;
}

/** A database of our own. After `kill` or `stop`, `start` brings it back at the same address with the same data. */
export interface Server extends Startable {
  readonly url: string;
  readonly port: number;
  /** Undefined while it is not running. */
  pid(): number | undefined;
  /** SIGKILL, to all of its processes; resolves when they are gone. */
  kill(): Promise<void>;
  /** Stops it and deletes its data. */
  remove(): Promise<void>;
}

export interface ServerParts {
  name: string;
  url: string;
  port: number;
  logFile: string;
  launch(): Promise<Child>;
  isReady(child: Child): Promise<boolean>;
  /** Whether a start that failed with these last words may succeed a moment later. */
  isPassing(lastWords: string): boolean;
  stopSignal: NodeJS.Signals;
  remove(): Promise<void>;
}

const READY_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 20_000;
const PASSING_LIMIT_MS = 10_000;

export function createServer(parts: ServerParts): Server {
  let child: Child | undefined;
  let isStopping = false;

  async function start(): Promise<void> {
    isStopping = false;
    const startedAt = performance.now();
    for (;;) {
      const sizeBefore = logSize(parts.logFile);
      child = await parts.launch();
      if (await becomesReady(parts, child)) return;
      const lastWords = tailOf(parts.logFile, sizeBefore);
      if (isStopping) throw new PlainError(`${parts.name} was stopped while it started.`);
      if (!parts.isPassing(lastWords) || performance.now() - startedAt > PASSING_LIMIT_MS) {
        const exit = await child.exited;
        throw new StartError(parts, `${describeExit(exit)}`, lastWords);
      }
      await sleep(200);
    }
  }

  async function stop(hurry?: AbortSignal): Promise<void> {
    isStopping = true;
    if (child) await endChild(child, parts.stopSignal, STOP_LIMIT_MS, hurry);
  }

  return {
    name: parts.name,
    url: parts.url,
    port: parts.port,
    start,
    stop,
    exited: async () => (child ? child.exited : { code: null, signal: null }),
    pid: () => (child && !child.exit() ? child.pid : undefined),
    async kill() {
      if (!child || child.exit()) return;
      const family = childrenOf(child.pid);
      for (const { pid } of [child, ...family]) signalIfRunning(pid, 'SIGKILL');
      await child.exited;
      for (const one of family) await hasEnded(one, 5_000);
    },
    async remove() {
      await stop();
      await parts.remove();
    },
  };
}

/** The server ended before it could be used. */
export class StartError extends PlainError {
  constructor(
    parts: { name: string; logFile: string },
    exit: string,
    readonly lastWords: string,
  ) {
    super(`${parts.name} ended while starting (${exit}). The end of ${parts.logFile}:\n${lastWords.trimEnd()}`);
  }
}

async function becomesReady(parts: ServerParts, child: Child): Promise<boolean> {
  for (const until = performance.now() + READY_LIMIT_MS; !child.exit(); await sleep(25)) {
    if (await parts.isReady(child)) return true;
    if (performance.now() > until) {
      await endChild(child, parts.stopSignal, STOP_LIMIT_MS);
      throw new PlainError(`${parts.name} was not ready after ${READY_LIMIT_MS / 1000} s; see ${parts.logFile}.`);
    }
  }
  return false;
}
