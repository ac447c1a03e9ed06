import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Process, processTable } from './process-table.js';

/** The profile folders of the browsers that a process has started. */
export function profileDirs(ownerPid = process.pid): string[] {
  return readdirSync(tmpdir()).filter((name) => markOf(ownerPid).test(name));
}

/** Browsers that were seen; each is the leader of a process group. */
const leaders = new Map<number, Set<number>>();

/**
 * All processes of a process's browsers, including those that outlive a browser that was seen here. The main process of
 * each browser comes first: if its child processes are killed before it, it reports that a page has crashed.
 */
export function browserProcesses(ownerPid = process.pid): number[] {
  const seen = leaders.get(ownerPid) ?? new Set<number>();
  leaders.set(ownerPid, seen);
  const processes = processTable();
  for (const { pid, command } of processes) if (markOf(ownerPid).test(command)) seen.add(pid);
  const isMain = ({ pid, group }: Process) => pid === group;
  return processes
    .filter(({ group }) => seen.has(group))
    .sort((a, b) => Number(isMain(b)) - Number(isMain(a)))
    .map(({ pid }) => pid);
}

function markOf(ownerPid: number): RegExp {
  return new RegExp(`jobline-browser_[^_]+_${ownerPid}_`);
}
