import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { identify, type ProcessId, signalIfRunning } from './process-id.js';
import { PlainError } from './terminal.js';

/** The exit code or the signal. */
export type Exit = number | NodeJS.Signals;

export interface Child {
  pid: number;
  exited: Promise<Exit>;
  hasExited(): boolean;
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
  /** The process goes on when this process ends or dies, for work that must not be interrupted. */
  outlivesUs?: true;
}

/** An app finishes its running jobs for up to 30 s. */
const STOP_LIMIT_MS = 35_000;

/** The children of this process that run and must end with it. */
const children = new Set<Child>();
let isClosed = false;

/**
 * Starts a process in its own process group: a Ctrl-C at the terminal reaches only us, and we stop the children in
 * order.
 */
export async function spawnChild(command: string, args: readonly string[], options: ChildOptions): Promise<Child> {
  const { env, output, user, cwd, argv0, outlivesUs } = options;
  if (isClosed) throw new PlainError(`${command} was not started: Jobline is stopping.`);
  const fd = output === 'terminal' ? 'inherit' : openSync(output.file, 'a', 0o600);
  try {
    const spawned = spawn(command, args, { env, cwd, argv0, ...user, detached: true, stdio: ['ignore', fd, fd] });
    const { pid } = spawned;
    if (pid === undefined) throw await once(spawned, 'error').then(([error]) => error);
    let hasExited = false;
    const exited = once(spawned, 'exit').then(([code, signal]) => {
      hasExited = true;
      return signal ?? code;
    });
    const child = { pid, exited, hasExited: () => hasExited };
    if (!outlivesUs) endWithUs(child);
    return child;
  } finally {
    if (fd !== 'inherit') closeSync(fd);
  }
}

/** The guard ends the child soon after the death of this process, which the child itself need not notice. */
function endWithUs(child: Child): void {
  const { input } = startGuard();
  input.write(`add ${child.pid}\n`);
  children.add(child);
  void child.exited.then(() => {
    input.write(`remove ${child.pid}\n`);
    children.delete(child);
  });
}

/** Ends every child. No child can be started after this call. */
export async function endChildren(): Promise<void> {
  isClosed = true;
  await Promise.all([...children].map((child) => endChild(child)));
}

/**
 * Asks the process to end, and kills its whole group after a limit. SIGINT makes the apps, Postgres and Redis stop
 * without losing anything.
 */
export async function endChild(
  child: Child,
  signal: NodeJS.Signals = 'SIGINT',
  limitMs = STOP_LIMIT_MS,
): Promise<void> {
  if (child.hasExited()) return;
  signalIfRunning(child.pid, signal);
  await Promise.race([child.exited, sleep(limitMs, undefined, { ref: false })]);
  if (!child.hasExited()) signalIfRunning(-child.pid, 'SIGKILL');
  await child.exited;
}

export function describeExit(exit: Exit): string {
  return typeof exit === 'number' ? `exit ${exit}` : exit;
}

const SCRIPT = fileURLToPath(new URL('../../bin/orphan-guard.sh', import.meta.url));

/** One shell per process of ours. The system closes its standard input when we die, however that happens. */
let guard: { id: ProcessId; input: Socket } | undefined;

/** The guard ends when this process and all that it guards have ended. */
export function startGuard(): NonNullable<typeof guard> {
  if (guard) return guard;
  // Detached: a Ctrl-C at the terminal must not reach it.
  const shell = spawn('/bin/sh', [SCRIPT], { detached: true, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
  const { pid, stdin } = shell;
  if (pid === undefined || !(stdin instanceof Socket)) throw new Error('the shell /bin/sh cannot be started');
  stdin.on('error', () => undefined); // it was killed; this process still ends its children itself
  shell.unref();
  stdin.unref();
  guard = { id: identify(pid), input: stdin };
  return guard;
}
