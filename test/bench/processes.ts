import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMsOf } from './cpu.js';
import type { Load } from './load.js';
import type { Ran } from './recorder.js';
import type { Reply } from './serve.js';

/** A Node process of a system, with its own log file. It ends when this process ends. */
export interface Process {
  name: string;
  /** Resolves when the process has reported that it is ready. Only processes that call serve() report it. */
  ready: Promise<void>;
  call(method: string, ...args: number[]): Promise<Load>;
  /** Calls the listener with what the handlers have run, also before this call. */
  onRan(listener: (ran: Ran) => void): void;
  /** Current and highest resident memory, in bytes; null without /proc. */
  memory(): Memory | null;
  /** Its CPU time so far, in ms; null without /proc. */
  cpuMs(): number | null;
  /** Asks the process to end, and kills it after 40 s. */
  stop(): Promise<void>;
}

export interface Memory {
  now: number;
  peak: number;
}

const STOP_LIMIT_MS = 40_000;

export function startProcess(options: {
  name: string;
  script: string;
  /** Arguments of Node itself. */
  nodeArgs?: readonly string[];
  env: Record<string, string>;
  logDir: string;
}): Process {
  const { name, script, nodeArgs = [], env, logDir } = options;
  const logFile = join(logDir, `${name.replaceAll(' ', '-')}.log`);
  const fd = openSync(logFile, 'a');
  const child = fork(script, [], {
    execArgv: [...nodeArgs],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...env },
    stdio: ['ignore', fd, fd, 'ipc'],
  });
  closeSync(fd);
  const replies = new Map<number, (reply: Reply) => void>();
  const ranSoFar: Ran[] = [];
  let ended: string | undefined;
  child.once('exit', (code, signal) => {
    ended = `${name} ended (${signal ?? `exit ${code}`}); the end of its log:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`;
    for (const [id, reply] of replies) reply({ id, error: ended });
  });
  child.on('message', (message: Reply | Ran) => {
    if ('id' in message) replies.get(message.id)?.(message);
    else if (message.event === 'ran') ranSoFar.push(message);
  });
  let calls = 0;

  return {
    name,
    ready: becomesReady(child, () => ended),
    async call(method, ...args) {
      const id = ++calls;
      const reply = await new Promise<Reply>((resolve) => {
        replies.set(id, resolve);
        if (ended) resolve({ id, error: ended });
        else child.send({ id, method, args });
      });
      replies.delete(id);
      if ('error' in reply) throw new Error(`${name}: ${reply.error}`);
      return reply.value as Load; // serve() answers every call with a load
    },
    onRan(listener) {
      for (const ran of ranSoFar) listener(ran);
      child.on('message', (message: Ran | Reply) => {
        if ('event' in message && message.event === 'ran') listener(message);
      });
    },
    cpuMs: () => cpuMsOf(child.pid),
    memory: () => (child.pid === undefined ? null : memoryOf(child.pid)),
    async stop() {
      if (ended) return;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      const hasEnded = await Promise.race([exit.then(() => true), sleep(STOP_LIMIT_MS, false, { ref: false })]);
      if (!hasEnded) child.kill('SIGKILL');
      await exit;
    },
  };
}

async function becomesReady(child: ChildProcess, ended: () => string | undefined): Promise<void> {
  const ready = new Promise<void>((resolve) => {
    child.on('message', (message: Reply | { event: string }) => {
      if ('event' in message && message.event === 'ready') resolve();
    });
  });
  await Promise.race([ready, once(child, 'exit')]);
  const why = ended();
  if (why) throw new Error(why);
}

function memoryOf(pid: number): Memory | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const bytes = (key: string) => 1_024 * Number(new RegExp(`${key}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0);
    return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
  } catch {
    return null; // no /proc
  }
}
