import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { identify, type ProcessId } from './process-id.js';

const SCRIPT = fileURLToPath(new URL('../../bin/orphan-guard.sh', import.meta.url));

interface Guard {
  id: ProcessId;
  input: Socket;
}

/** One shell per process of ours. The system closes its standard input when we die, however that happens. */
let guard: Guard | undefined;

/**
 * Ends a process soon after the death of this process, which the process itself need not notice. Returns a function
 * that stops guarding the process; call it when the process has ended.
 */
export function guardOrphan(pid: number): () => void {
  const { input } = startGuard();
  input.write(`add ${pid}\n`);
  return () => void input.write(`remove ${pid}\n`);
}

/** The guard ends when this process and all that it guards have ended. */
export function startGuard(): Guard {
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
