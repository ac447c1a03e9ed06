import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from './load.js';
import type { Ran } from './recorder.js';
import type { Reply } from './serve.js';

/** A Node process of a system, with a log file of its own. It ends by itself when this process does. */
export interface Process {
  name: string;
  /** Resolves when the process has said that it is ready. Only those that serve() say it. */
  ready: Promise<void>;
  call(method: string, ...args: number[]): Promise<Load>;
  /** Told what its handlers have run. */
  onRan(listener: (ran: Ran) => void): void;
  /** Resident memory now and at its highest, in bytes; null where the system does not tell. */
  memory(): Memory | null;
  /** In good order, by force after 40 s. */
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
  env: Record<string, string>;
  logDir: string;
}): Process {
  const { name, script, env, logDir } = options;
  const logFile = join(logDir, `${name.replaceAll(' ', '-')}.log`);
  const fd = openSync(logFile, 'a');
  const child = fork(script, [], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...env },
    stdio: ['ignore', fd, fd, 'ipc'],
  });
  closeSync(fd);
  const replies = new Map<number, (reply: Reply) => void>();
  let ended: string | undefined;
  child.once('exit', (code, signal) => {
    ended = `${name} ended (${signal ?? `exit ${code}`}); the end of its log:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`;
    for (const [id, reply] of replies) reply({ id, error: ended });
  });
  child.on('message', (message: Reply | Ran) => {
    if ('id' in message) replies.get(message.id)?.(message);
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
      return reply.value as Load; // serve() answers a load to each of them
    },
    onRan(listener) {
      child.on('message', (message: Ran | Reply) => {
        if ('event' in message && message.event === 'ran') listener(message);
      });
    },
    memory: () => (child.pid === undefined ? null : memoryOf(child.pid)),
    async stop() {
      if (ended) return;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      const isOver = await Promise.race([exit.then(() => true), sleep(STOP_LIMIT_MS, false, { ref: false })]);
      if (!isOver) child.kill('SIGKILL');
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
    return null; // no /proc here
  }
}
