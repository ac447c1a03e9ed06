import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** A process id and the start time of its process. Together they never name a later process with the same id. */
export interface ProcessId {
  pid: number;
  started: string;
}

const hasProc = existsSync('/proc/self/stat');
/** Start times in /proc count from the boot of the machine, and may repeat after the next boot. */
const boot = hasProc ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : '';

/** Undefined if the process has ended. A zombie has ended. */
export function findProcess(pid: number): ProcessId | undefined {
  if (!hasProc) {
    const started = outputOf('ps', ['-o', 'lstart=', '-p', String(pid)]);
    return started === '' ? undefined : { pid, started };
  }
  const stat = readProc(`${pid}/stat`);
  // The name of the program is in parentheses and may contain anything. Field 3 follows the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat === '' || fields[0] === 'Z' ? undefined : { pid, started: `${boot} ${fields[19]}` };
}

export function isRunning(process: ProcessId): boolean {
  return findProcess(process.pid)?.started === process.started;
}

export function childrenOf(parent: number): ProcessId[] {
  const pids = hasProc ? readProc(`${parent}/task/${parent}/children`) : outputOf('pgrep', ['-P', String(parent)]);
  return pids.split(/\s+/).flatMap((pid) => (pid === '' ? [] : (findProcess(Number(pid)) ?? [])));
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
function readProc(file: string): string {
  try {
    return readFileSync(`/proc/${file}`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return '';
    throw error;
  }
}

function outputOf(command: string, args: string[]): string {
  const { stdout, error } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  if (error) throw error;
  return stdout.trim();
}
