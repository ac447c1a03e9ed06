import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardOrphan } from './orphan-guard.js';
import { PlainError } from './plain-error.js';
import { findProcess, isRunning, type ProcessId, signalIfRunning } from './process-id.js';

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
  /**
   * The file to which the output is appended, or our own terminal. A file survives us, so our death breaks no write.
   */
  output: { file: string } | 'terminal';
  user?: { uid: number; gid: number } | undefined;
  cwd?: string;
  argv0?: string;
  /**
   * What happens to the child when this process ends or dies. `end` (the default): it is ended. `notify`: the same, but
   * the child notices our death itself by its IPC channel. `keep`: it goes on, for work that must not be interrupted.
   */
  atOurEnd?: 'end' | 'notify' | 'keep';
}

/** The children of this process that run and must end with it, in the order of their start. */
let children: Child[] = [];
let onChildren: (children: readonly ProcessId[]) => void = () => undefined;
let isClosed = false;

/**
 * Starts a process in its own process group: a Ctrl-C at the terminal reaches only us, and we stop the children in
 * order.
 */
export async function spawnChild(command: string, args: readonly string[], options: ChildOptions): Promise<Child> {
  const { env, output, user, cwd, argv0, atOurEnd = 'end' } = options;
  if (isClosed) throw new PlainError(`${command} was not started: Jobline is stopping.`);
  const fd = output === 'terminal' ? ('inherit' as const) : openSync(output.file, 'a', 0o600);
  try {
    const spawned = spawn(command, args, {
      env,
      detached: true,
      stdio: atOurEnd === 'notify' ? ['ignore', fd, fd, 'ipc'] : ['ignore', fd, fd],
      ...(user && { uid: user.uid, gid: user.gid }),
      ...(cwd && { cwd }),
      ...(argv0 && { argv0 }),
    });
    const { pid } = spawned;
    if (pid === undefined) throw await once(spawned, 'error').then(([error]) => error);
    let exit: Exit | undefined;
    const exited = once(spawned, 'exit').then(([code, signal]) => (exit = { code, signal }));
    const child = { ...(findProcess(pid) ?? { pid, started: 'ended immediately' }), exited, exit: () => exit };
    if (atOurEnd !== 'keep') endWithUs(child, atOurEnd === 'end');
    return child;
  } finally {
    if (typeof fd === 'number') closeSync(fd);
  }
}

function endWithUs(child: Child, isGuarded: boolean): void {
  const release = isGuarded ? guardOrphan(child.pid) : () => undefined;
  const change = (next: Child[]) => {
    children = next;
    onChildren(children.map(({ pid, started }) => ({ pid, started })));
  };
  change([...children, child]);
  void child.exited.then(() => {
    release();
    change(children.filter((one) => one !== child));
  });
}

/** Calls the listener with the processes to end whenever one starts or ends. */
export function watchChildren(listener: (children: readonly ProcessId[]) => void): void {
  onChildren = listener;
}

/** Ends every child, the last one first. No child can be started after this call. */
export async function endChildren(): Promise<void> {
  isClosed = true;
  for (const child of children.toReversed()) await endProcess(child);
}

/** Asks the process to end. After the limit, or when `hurry` fires, kills its whole group. */
export async function endChild(
  child: Child,
  signal: NodeJS.Signals,
  limitMs: number,
  hurry?: AbortSignal,
): Promise<void> {
  if (child.exit()) return;
  signalIfRunning(child.pid, signal);
  const hasExited = new AbortController();
  void child.exited.then(() => hasExited.abort());
  await pause(limitMs, hurry ? AbortSignal.any([hurry, hasExited.signal]) : hasExited.signal);
  if (!child.exit()) signalIfRunning(-child.pid, 'SIGKILL');
  await child.exited;
}

/**
 * Ends a process that may be no child of this one. SIGINT makes every program that we start, Postgres included, stop
 * soon.
 */
export async function endProcess(process: ProcessId): Promise<void> {
  if (isRunning(process)) signalIfRunning(process.pid, 'SIGINT');
  if (await hasEnded(process, 8_000)) return;
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

/** Resolves after the time, or when the signal fires. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
