import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ProcessId } from './processes.js';

const SCRIPT = fileURLToPath(new URL('../../bin/orphan-guard.sh', import.meta.url));

/**
 * Ends a process that would not notice our death (Postgres, Redis, a test runner) soon after it: a shell in a group of
 * its own waits at the other end of a pipe, which the system closes when we are gone, however that came about.
 * Returns how to send the shell home.
 */
export function watchOverOrphan(orphan: ProcessId, signal: NodeJS.Signals): () => void {
  const args = [SCRIPT, String(orphan.pid), orphan.started, signal.slice('SIG'.length)];
  const shell = spawn('/bin/sh', args, { detached: true, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
  shell.on('error', () => undefined); // then only the next start clears up
  shell.stdin.on('error', () => undefined); // it has gone home already
  return () => void shell.stdin.end('go\n');
}
