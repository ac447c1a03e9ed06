import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../apps/worker/dist/main.js', import.meta.url));

/** A worker as operators run it: a process of its own, told by its environment only. */
export interface WorkerProcess {
  pid: number;
  /** What it has logged so far. */
  output(): string;
  /** Sends a signal; resolves when the process has ended, unless the signal leaves it alive. */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Resolves when the process has ended, whatever ended it. */
  ended: Promise<void>;
  freeze(): void;
  thaw(): void;
}

export async function spawnWorker(env: Record<string, string>): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'exit').then(() => undefined);
  await once(child, 'spawn');
  return {
    pid: pidOf(child),
    output: () => output,
    ended,
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await ended;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the worker did not start');
  return child.pid;
}
