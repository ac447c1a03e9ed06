import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface Process {
  pid: number;
  parent: number;
  group: number;
  command: string;
  /** CPU time so far, in ms; the smallest step is a hundredth of a second, or a second. */
  cpuMs: number;
}

const TICK_MS = 10;

/** Every process except zombies. */
export function processTable(): Process[] {
  return existsSync('/proc/self/stat') ? readdirSync('/proc').flatMap(fromProc) : fromPs();
}

/** The processes that a process has started for templates, images and summaries. */
export function computeProcesses(ownerPid = process.pid): Process[] {
  return processTable().filter(({ parent, command }) => parent === ownerPid && command.includes('compute-process'));
}

function fromProc(name: string): Process[] {
  if (!/^\d+$/.test(name)) return [];
  const stat = read(`/proc/${name}/stat`);
  // The name, in brackets, may contain anything: after its last bracket come state, parent and group, and later the CPU
  // time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  if (state === 'Z') return [];
  const cpuMs = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  const command = read(`/proc/${name}/cmdline`);
  return [{ pid: Number(name), parent: Number(parent), group: Number(group), command, cpuMs }];
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return ''; // the process has ended
  }
}

function fromPs(): Process[] {
  const text = execFileSync('ps', ['-axww', '-o', 'pid=,ppid=,pgid=,stat=,time=,command='], { encoding: 'utf8' });
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, state = '', time = '', command = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), command, cpuMs: msOf(time) }];
  });
}

/** Parses `1:02.30` and `01:02:03`. */
function msOf(time: string): number {
  return time.split(/[:-]/).reduce((sum, part) => sum * 60 + Number(part), 0) * 1_000;
}
