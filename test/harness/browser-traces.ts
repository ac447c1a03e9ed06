import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** The profile folders of the browsers that a process has started. */
export function profileDirs(ownerPid = process.pid): string[] {
  return readdirSync(tmpdir()).filter((name) => markOf(ownerPid).test(name));
}

/** Browsers that were seen, each the leader of a process group. */
const leaders = new Map<number, Set<number>>();

/** The processes of a process's browsers, all of them: also those that outlive a browser, once it was seen here. */
export function browserProcesses(ownerPid = process.pid): number[] {
  const seen = leaders.get(ownerPid) ?? new Set<number>();
  leaders.set(ownerPid, seen);
  const processes = processTable();
  for (const { pid, command } of processes) if (markOf(ownerPid).test(command)) seen.add(pid);
  return processes.filter(({ group }) => seen.has(group)).map(({ pid }) => pid);
}

function markOf(ownerPid: number): RegExp {
  return new RegExp(`jobline-browser_[^_]+_${ownerPid}_`);
}

interface Process {
  pid: number;
  group: number;
  command: string;
}

/** Every process but zombies. */
function processTable(): Process[] {
  return existsSync('/proc/self/stat') ? readdirSync('/proc').flatMap(fromProc) : fromPs();
}

function fromProc(name: string): Process[] {
  if (!/^\d+$/.test(name)) return [];
  const stat = read(`/proc/${name}/stat`);
  // The name, in brackets, may hold anything: what follows its last bracket is state, parent, group.
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' ? [] : [{ pid: Number(name), group: Number(group), command: read(`/proc/${name}/cmdline`) }];
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return ''; // it has ended
  }
}

function fromPs(): Process[] {
  const text = execFileSync('ps', ['-axww', '-o', 'pid=,pgid=,stat=,command='], { encoding: 'utf8' });
  return text.split('\n').flatMap((line) => {
    const [, pid, group, state = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined || state.startsWith('Z') ? [] : [{ pid: Number(pid), group: Number(group), command }];
  });
}
