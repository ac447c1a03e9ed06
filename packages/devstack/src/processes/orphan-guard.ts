import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../bin/orphan-guard.sh', import.meta.url));

/** One shell per process of ours. The system closes its standard input when we die, however that happens. */
let guard: Socket | undefined;

/**
 * Ends a process soon after the death of this process, for programs that do not notice it (Postgres, Redis, a test
 * runner). Returns a function that stops guarding the process; call it when the process has ended.
 */
export function guardOrphan(pid: number): () => void {
  guard ??= startGuard();
  guard?.write(`add ${pid}\n`);
  return () => void guard?.write(`remove ${pid}\n`);
}

function startGuard(): Socket | undefined {
  // Detached: a Ctrl-C at the terminal must not reach it.
  const shell = spawn('/bin/sh', [SCRIPT], { detached: true, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
  const { stdin } = shell;
  shell.on('error', () => undefined); // without a guard, the next start ends the orphans
  stdin.on('error', () => undefined); // likewise
  shell.once('exit', () => {
    guard = undefined;
  });
  shell.unref();
  if (!(stdin instanceof Socket)) return undefined;
  stdin.unref();
  return stdin;
}
