import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process id and the start time of its process. Together they never name a later process with the same id. */
export interface ProcessId {
  pid: number;
  started: string;
}

const hasProc = existsSync('/proc/self/stat');
/** Start times in /proc count from the boot of the machine, and may repeat after the next boot. */
const boot = readProc('sys/kernel/random/boot_id').trim();

export function identify(pid: number): ProcessId {
  return { pid, started: startOf(pid) };
}

/** A zombie has ended. */
export function isRunning({ pid, started }: ProcessId): boolean {
  return started !== '' && startOf(pid) === started;
}

/** Resolves when the process has ended, or after the limit. */
export async function untilEnded(process: ProcessId, limitMs: number): Promise<void> {
  for (const until = performance.now() + limitMs; isRunning(process) && performance.now() < until; ) await sleep(50);
}

export function childrenOf(parent: number): ProcessId[] {
  const pids = hasProc ? readProc(`${parent}/task/${parent}/children`) : outputOf('pgrep', ['-P', String(parent)]);
  return pids.split(/\s+/).flatMap((pid) => (pid === '' ? [] : identify(Number(pid))));
}

/** Sends the signal unless the process has ended. A negative id means the whole process group. */
export function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Empty if the process has ended. */
function startOf(pid: number): string {
  if (!hasProc) return outputOf('ps', ['-o', 'lstart=', '-p', String(pid)]);
  const stat = readProc(`${pid}/stat`);
  // The name of the program is in parentheses and may contain anything. Field 3 follows the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat === '' || fields[0] === 'Z' ? '' : `${boot} ${fields[19]}`;
}

/** Empty if there is no such file. */
function readProc(file: string): string {
  try {
    return readFileSync(`/proc/${file}`, 'utf8');
  } catch {
    return ''; // the process has ended, or the system has no /proc
  }
}

function outputOf(command: string, args: string[]): string {
  const { stdout, error } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  if (error) throw error;
  return stdout.trim();
}
