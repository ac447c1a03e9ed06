import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchOverOrphan } from './orphan-guard.js';
import { findProcess, isRunning, type ProcessId, signalIfRunning } from './processes.js';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Child extends ProcessId {
  exited: Promise<Exit>;
  /** Undefined while it runs. */
  exit(): Exit | undefined;
}

export interface ChildOptions {
  env: NodeJS.ProcessEnv;
  /** Where its output is appended; `terminal` shares ours. A file outlives us, so our death breaks none of its writes. */
  output: { file: string } | 'terminal';
  user?: { uid: number; gid: number } | undefined;
  cwd?: string;
  argv0?: string;
  /** Gives it an IPC channel, by which a Node process notices our death. */
  ipc?: boolean;
  /** For a process that cannot notice our death: what it is sent then. */
  onOurDeath?: NodeJS.Signals;
  /** Told in the same turn of the event loop in which the process comes to be. */
  onSpawn?: ((process: ProcessId) => void) | undefined;
}

/** Starts a process in a group of its own: a Ctrl-C at the terminal reaches us alone, and we stop things in order. */
export async function spawnChild(command: string, args: string[], options: ChildOptions): Promise<Child> {
  const { env, output, user, cwd, argv0, ipc, onOurDeath, onSpawn } = options;
  const fd = output === 'terminal' ? ('inherit' as const) : openSync(output.file, 'a', 0o600);
  try {
    const child = spawn(command, args, {
      env,
      detached: true,
      stdio: ipc ? ['ignore', fd, fd, 'ipc'] : ['ignore', fd, fd],
      ...(user && { uid: user.uid, gid: user.gid }),
      ...(cwd && { cwd }),
      ...(argv0 && { argv0 }),
    });
    if (child.pid === undefined) throw await once(child, 'error').then(([error]) => error);
    const self = findProcess(child.pid) ?? { pid: child.pid, started: 'ended at once' };
    const dismiss = onOurDeath && watchOverOrphan(self, onOurDeath);
    onSpawn?.(self);
    let exit: Exit | undefined;
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => {
        dismiss?.();
        exit = { code, signal };
        resolve(exit);
      });
    });
    return { ...self, exited, exit: () => exit };
  } finally {
    if (typeof fd === 'number') closeSync(fd);
  }
}

/** Asks the process to end, then makes its whole group. */
export async function endChild(
  child: Child,
  signal: NodeJS.Signals,
  limitMs: number,
  hurry?: AbortSignal,
): Promise<void> {
  if (child.exit()) return;
  signalIfRunning(child.pid, signal);
  const giveUp = new AbortController();
  const abort = () => giveUp.abort();
  hurry?.addEventListener('abort', abort, { once: true });
  if (hurry?.aborted) abort();
  await Promise.race([child.exited, pause(limitMs, giveUp.signal)]);
  abort();
  hurry?.removeEventListener('abort', abort);
  if (child.exit()) return;
  signalIfRunning(-child.pid, 'SIGKILL');
  await child.exited;
}

/** The same for processes that are no children of ours. */
export async function endProcess(process: ProcessId, signal: NodeJS.Signals, limitMs: number): Promise<void> {
  if (isRunning(process)) signalIfRunning(process.pid, signal);
  if (await hasEnded(process, limitMs)) return;
  signalIfRunning(process.pid, 'SIGKILL');
  await hasEnded(process, 5_000);
}

export async function hasEnded(process: ProcessId, limitMs: number): Promise<boolean> {
  for (const until = performance.now() + limitMs; isRunning(process); await sleep(50)) {
    if (performance.now() > until) return false;
  }
  return true;
}

export function describeExit({ code, signal }: Exit): string {
  return signal ?? `exit ${code}`;
}

/** Resolves after a while, or when the signal fires. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
