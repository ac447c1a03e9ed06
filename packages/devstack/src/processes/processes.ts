import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A process and when it started: together they never mean a later process with the same id. */
export interface ProcessId {
  pid: number;
  started: string;
}

const hasProc = existsSync('/proc/self/stat');

/** Undefined once the process has ended, a zombie included. */
export function findProcess(pid: number): ProcessId | undefined {
  if (!hasProc) {
    const started = ps(['-o', 'lstart=', '-p', String(pid)]);
    return started === '' ? undefined : { pid, started };
  }
  const stat = readStat(pid);
  return stat && stat.state !== 'Z' ? { pid, started: stat.started } : undefined;
}

export function isRunning(process: ProcessId): boolean {
  return findProcess(process.pid)?.started === process.started;
}

/** Empty once the process has ended. */
export function commandLineOf(pid: number): string {
  if (!hasProc) return ps(['-o', 'command=', '-p', String(pid)]);
  return (readProc(pid, 'cmdline') ?? '').replaceAll('\0', ' ').trim();
}

export function childrenOf(parent: number): ProcessId[] {
  return allPids().flatMap((pid) => {
    const isChild = hasProc
      ? readStat(pid)?.ppid === parent
      : ps(['-o', 'ppid=', '-p', String(pid)]) === String(parent);
    const found = isChild ? findProcess(pid) : undefined;
    return found ? [found] : [];
  });
}

/** The nearest process above us whose command line matches. */
export function findAncestor(pattern: RegExp): ProcessId | undefined {
  for (let pid: number | undefined = process.ppid; pid !== undefined && pid > 1; pid = parentOf(pid)) {
    if (pattern.test(commandLineOf(pid))) return findProcess(pid);
  }
  return undefined;
}

function parentOf(pid: number): number | undefined {
  if (hasProc) return readStat(pid)?.ppid;
  return Number(ps(['-o', 'ppid=', '-p', String(pid)])) || undefined;
}

/** Sends the signal unless the process has ended. A negative id means its whole group. */
export function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** What start times are counted from: they repeat after a restart of the machine, this does not. */
export function currentBoot(): string {
  return hasProc ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : '';
}

function readStat(pid: number): { state: string; ppid: number; started: string } | undefined {
  const text = readProc(pid, 'stat');
  if (text === undefined) return undefined;
  // The name, in brackets, may hold anything: what follows its last bracket is field 3 and on.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', ppid: Number(fields[1]), started: fields[19] ?? '' };
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    const hasEnded = error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH');
    if (hasEnded) return undefined;
    throw error;
  }
}

function allPids(): number[] {
  const names = hasProc ? readdirSync('/proc') : ps(['-axo', 'pid=']).split(' ');
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Empty when `ps` finds nothing: it exits 1 then. */
function ps(args: string[]): string {
  try {
    const env = { ...process.env, LC_ALL: 'C' };
    return execFileSync('ps', args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] })
      .trim()
      .replace(/\s+/g, ' ');
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 1) return '';
    throw error;
  }
}
