import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ForcedEnd, notNow, toError } from './compute-errors.js';
import type { FromCompute, ToCompute } from './compute-messages.js';
import { cpuMsOf } from './cpu-time.js';

/** The most memory that a child process may have. */
export interface MemoryLimits {
  /** Of V8's old generation. */
  heapMb: number;
  /** Of all that it allocates, native code included; the room that V8 reserves for machine code comes on top. */
  dataMb: number;
}

/** What ends a task from outside. */
export interface AskLimits {
  /** In processor time, from the moment the task begins: the process may have to start first. */
  deadlineMs: number;
  /** Nobody waits for the answer once it fires. */
  signal: AbortSignal | undefined;
}

export interface ComputeChild {
  readonly pid: number | undefined;
  /** False once the process has ended or was killed. */
  isUsable(): boolean;
  /**
   * Runs a task; only one at a time. Rejects with what the task threw, with ForcedEnd, with the signal's reason, or with
   * RetryLater when the process could not start or ended for another reason. After anything but the first it is killed.
   */
  ask(request: ToCompute, limits: AskLimits): Promise<unknown>;
  /** Kills the process and resolves when it is gone. */
  end(): Promise<void>;
}

/** From the request until the task begins: the start of the process, and its modules. */
const BEGIN_WITHIN_MS = 30_000;
/** Of the clock, on top of a task's deadline: how long it may wait for the processor. */
const WAIT_FOR_CPU_MS = 30_000;
/** Signals that come from outside: from the kernel when memory is short, or from an operator. */
const OUTSIDE_SIGNALS: readonly unknown[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'];

/** Starts a child process. It does not keep this process alive, except while it runs a task. */
export function startComputeChild(memory: MemoryLimits): ComputeChild {
  const child = forkLimited(memory);
  let isUsable = true;
  const gone = new Promise<void>((resolve) => {
    const onEnd = () => {
      isUsable = false;
      resolve();
    };
    // Heard for as long as there is a process: an error that nobody hears would end this one.
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
      // Until it is gone, it keeps this process alive: the promise would never be settled otherwise.
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
    let timer = setTimeout(() => stop(notNow('the process for it did not start in time')), BEGIN_WITHIN_MS);

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
    const onError = (cause: Error) => stop(notNow('the process for it could not start', cause));
    const onExit = (code: number | null, killedBy: NodeJS.Signals | null) => {
      const isOwnFault = hasBegun && !OUTSIDE_SIGNALS.includes(killedBy);
      stop(isOwnFault ? new ForcedEnd('memory') : notNow(`the process for it ended (${killedBy ?? `exit ${code}`})`));
    };
    function onMessage(received: unknown): void {
      // The cast: the program in the process is ours.
      const answer = received as FromCompute;
      if (answer.kind === 'returned') return void settle(() => resolve(answer.output));
      if (answer.kind === 'threw') return void settle(() => reject(toError(answer.message, answer.failure)));
      hasBegun = true;
      clearTimeout(timer);
      limitTime();
    }

    /** By the processor time of the process: what waits for a busy machine does not take long. */
    function limitTime(): void {
      const beganAt = performance.now();
      const cpuMsBefore = cpuMsOf(child.pid);
      timer = setTimeout(check, deadlineMs);

      function check(): void {
        const elapsedMs = performance.now() - beganAt;
        const usedMs = cpuMsBefore === null ? elapsedMs : (cpuMsOf(child.pid) ?? Infinity) - cpuMsBefore;
        if (usedMs >= deadlineMs) stop(new ForcedEnd('time'));
        else if (elapsedMs >= deadlineMs + WAIT_FOR_CPU_MS) stop(notNow('the machine is too busy for it'));
        else timer = setTimeout(check, deadlineMs - usedMs);
      }
    }
    if (signal?.aborted) return settle(() => reject(signal.reason));
    signal?.addEventListener('abort', onAbort, { once: true });
    child.on('message', onMessage).on('exit', onExit).on('error', onError);
    // A failure to send is the end of the process, which is heard above.
    child.send(request, () => undefined);
  });
}

/** By the package's own name: the process runs built files, wherever this one is run from. */
function programFile(): string {
  return createRequire(import.meta.url).resolve('@jobline/providers/compute-process');
}

/**
 * Its environment is empty: no secrets. A shell sets the limit of memory, and makes it the first process that the kernel
 * kills when the container's memory is short.
 */
function forkLimited({ heapMb, dataMb }: MemoryLimits): ChildProcess {
  const limits = `ulimit -d ${dataMb * 1024 + reservedCodeKb()}; echo 1000 > /proc/self/oom_score_adj`;
  const flags = [`--max-old-space-size=${heapMb}`];
  return fork(programFile(), [], {
    ...(process.platform === 'win32'
      ? { execArgv: flags }
      : { execPath: '/bin/sh', execArgv: ['-c', `${limits}; exec "$0" "$@"`, process.execPath, ...flags] }),
    env: {},
    serialization: 'advanced',
    // What V8 prints when it runs out of memory would stand among the lines of the log.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

let codeKb: number | undefined;

/**
 * What V8 reserves for machine code when a process starts, in KiB. From Node 24 on, the kernel counts all of it
 * (512 MiB) as data from the start. This process runs the same Node as its child: it reads its own memory map.
 */
function reservedCodeKb(): number {
  codeKb ??= process.platform === 'linux' ? sumWritableCode(readFileSync('/proc/self/maps', 'latin1')) / 1024 : 0;
  return codeKb;
}

/** Bytes of the mappings that are both writable and executable. Format of the map: proc_pid_maps(5). */
function sumWritableCode(map: string): number {
  let bytes = 0;
  for (const [, from = '', to = ''] of map.matchAll(/^([0-9a-f]+)-([0-9a-f]+) .wxp/gm))
    bytes += Number.parseInt(to, 16) - Number.parseInt(from, 16);
  return bytes;
}
