import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Failure, HandlerError, PermanentError, RetryLater } from '@jobline/handlers/errors';
import type { FromCompute, ToCompute } from './tasks.js';

/** The most memory that a child process may have. */
export interface MemoryLimits {
  /** Limit of V8's old generation. */
  heapMb: number;
  /** Limit of all allocations, native code included. The memory that V8 reserves for machine code is added to it. */
  dataMb: number;
}

/** The conditions that end a task from outside. */
export interface AskLimits {
  /** In processor time, from the start of the task. The process may have to start first. */
  deadlineMs: number;
  /** The answer is not needed after this signal is aborted. */
  signal: AbortSignal | undefined;
}

export interface ComputeChild {
  readonly pid: number | undefined;
  /** False once the process has ended or was killed. */
  isUsable(): boolean;
  /**
   * Runs one task at a time. Rejects with the error of the task, with ForcedEnd, with the reason of the signal, or with
   * RetryLater if the process could not start or ended for another reason. After every rejection except an error of the
   * task, the process is killed.
   */
  ask(request: ToCompute, limits: AskLimits): Promise<unknown>;
  /** Kills the process. Resolves when it is gone. */
  end(): Promise<void>;
}

/**
 * The limit from the request to the start of the task: it covers the start of the process and the loading of its
 * modules.
 */
const BEGIN_WITHIN_MS = 30_000;
/** How much clock time a task may take in addition to its deadline, to wait for a processor. */
const WAIT_FOR_CPU_MS = 30_000;
/** Signals from outside: from the kernel when memory is short, or from an operator. */
const OUTSIDE_SIGNALS: readonly unknown[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'];

/** Starts a child process. It keeps this process alive only while it runs a task. */
export function startComputeChild(memory: MemoryLimits): ComputeChild {
  const child = forkLimited(memory);
  let isUsable = true;
  const gone = new Promise<void>((resolve) => {
    const onEnd = () => {
      isUsable = false;
      resolve();
    };
    // The listeners stay as long as the process exists: an unhandled error event would end this process.
    child.on('exit', onEnd).on('error', onEnd);
  });
  child.unref();
  child.channel?.unref();

  function kill(): void {
    isUsable = false;
    child.kill('SIGKILL');
  }

  return {
    pid: child.pid,
    isUsable: () => isUsable,
    ask: (request, limits) => ask(child, kill, request, limits),
    async end() {
      if (isUsable) kill();
      // Keeps this process alive until the child is gone. Otherwise the promise might never be resolved.
      child.ref();
      await gone;
    },
  };
}

function ask(
  child: ChildProcess,
  kill: () => void,
  request: ToCompute,
  { deadlineMs, signal }: AskLimits,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let hasBegun = false;
    let timer = setTimeout(() => stop(notNow('the compute process did not start in time')), BEGIN_WITHIN_MS);

    function settle(how: () => void): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
      how();
    }
    function stop(error: unknown): void {
      kill();
      settle(() => reject(error));
    }
    const onAbort = () => stop(signal?.reason);
    const onError = (cause: Error) => stop(notNow('the compute process could not start', cause));
    const onExit = (code: number | null, killedBy: NodeJS.Signals | null) => {
      const isCausedByTask = hasBegun && !OUTSIDE_SIGNALS.includes(killedBy);
      stop(
        isCausedByTask ? new ForcedEnd('memory') : notNow(`the compute process ended (${killedBy ?? `exit ${code}`})`),
      );
    };
    function onMessage(received: unknown): void {
      // The cast: the program in the process is our own.
      const answer = received as FromCompute;
      if (answer.kind === 'returned') return void settle(() => resolve(answer.output));
      if (answer.kind === 'threw') return void settle(() => reject(toError(answer.message, answer.failure)));
      hasBegun = true;
      clearTimeout(timer);
      limitTime(answer.cpuMs);
    }

    /** Limits the processor time of the process: waiting for a busy machine does not count. */
    function limitTime(cpuMsBefore: number): void {
      const beganAt = performance.now();
      timer = setTimeout(check, deadlineMs);

      function check(): void {
        const elapsedMs = performance.now() - beganAt;
        const cpuMs = cpuMsOf(child.pid);
        // The process has just ended, which is not the fault of the task: the listener of its exit follows.
        if (cpuMs === null && CAN_READ_CPU) return;
        const usedMs = cpuMs === null ? elapsedMs : cpuMs - cpuMsBefore;
        if (usedMs >= deadlineMs) stop(new ForcedEnd('time'));
        else if (elapsedMs >= deadlineMs + WAIT_FOR_CPU_MS) stop(notNow('the machine is too busy to run the task'));
        else timer = setTimeout(check, deadlineMs - usedMs);
      }
    }
    if (signal?.aborted) return settle(() => reject(signal.reason));
    signal?.addEventListener('abort', onAbort, { once: true });
    child.on('message', onMessage).on('exit', onExit).on('error', onError);
    // If sending fails, the process ends, and the listeners above handle that.
    child.send(request, () => undefined);
  });
}

/**
 * Forks the process without our environment, so it has no secrets. Its time zone is UTC on every machine. A shell sets the
 * memory limit, and makes the process the first one that the kernel kills when the memory of the container is short.
 */
function forkLimited({ heapMb, dataMb }: MemoryLimits): ChildProcess {
  const limits = `ulimit -d ${dataMb * 1024 + reservedCodeKb()}; echo 1000 > /proc/self/oom_score_adj`;
  const flags = [`--max-old-space-size=${heapMb}`];
  // Resolved by the name of the package: the process runs built files, even if this file runs from source.
  const program = createRequire(import.meta.url).resolve('@jobline/providers/compute-process');
  return fork(program, [], {
    ...(process.platform === 'win32'
      ? { execArgv: flags }
      : { execPath: '/bin/sh', execArgv: ['-c', `${limits}; exec "$0" "$@"`, process.execPath, ...flags] }),
    env: { TZ: 'UTC' },
    serialization: 'advanced',
    // stdout and stderr are ignored, because the text that V8 prints when it runs out of memory would appear in the
    // log.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

let codeKb: number | undefined;

/**
 * The memory in KiB that V8 reserves for machine code when a process starts. From Node 24, the kernel counts all of it
 * (512 MiB) as data from the start. This process runs the same Node version as its child, so it reads its own memory
 * map.
 */
function reservedCodeKb(): number {
  codeKb ??= process.platform === 'linux' ? sumWritableCode(readFileSync('/proc/self/maps', 'latin1')) / 1024 : 0;
  return codeKb;
}

/** The size in bytes of the mappings that are both writable and executable. The format of the map: proc_pid_maps(5). */
function sumWritableCode(map: string): number {
  let bytes = 0;
  for (const [, from = '', to = ''] of map.matchAll(/^([0-9a-f]+)-([0-9a-f]+) .wxp/gm))
    bytes += Number.parseInt(to, 16) - Number.parseInt(from, 16);
  return bytes;
}

/** The length of a clock tick for programs on Linux, independent of the kernel (USER_HZ). */
const TICK_MS = 10;

/**
 * The processor time in milliseconds, in steps of 10, that all threads of a process have used. Null if it cannot be
 * read: without /proc of Linux, or for a process that is gone. The format: proc_pid_stat(5).
 */
export function cpuMsOf(pid: number | undefined): number | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The second field is the name of the program, in parentheses and perhaps with spaces. utime and stime are fields 14
  // and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Whether processor times can be read here. If not, the clock time counts. */
const CAN_READ_CPU = cpuMsOf(process.pid) !== null;

const RETRY_AFTER_MS = 5_000;

/** A task whose process was killed or crashed because of the task. */
export class ForcedEnd extends Error {
  override readonly name = 'ForcedEnd';

  constructor(readonly reason: 'time' | 'memory') {
    super(reason === 'time' ? 'it takes too long' : 'it needs too much memory');
  }
}

/**
 * The task did not run and may run later: too many tasks are waiting, or its process ended for a reason that the task
 * did not cause.
 */
export function notNow(reason: string, cause?: unknown): RetryLater {
  return new RetryLater(RETRY_AFTER_MS, reason, { code: 'handler_error', cause });
}

/** Recreates the error that a task threw in its process. */
function toError(message: string, { code, isPermanent, delayMs }: Failure): HandlerError {
  if (isPermanent) return new PermanentError(message, { code });
  return delayMs > 0 ? new RetryLater(delayMs, message, { code }) : new HandlerError(code, message);
}
