import { readdirSync, readFileSync } from 'node:fs';

const TICK_MS = 10;

/**
 * Returns the CPU time of a process and of all its descendants so far, in ms, those that have ended included. Null without
 * /proc.
 */
export function cpuMsOf(pid: number | undefined): number | null {
  const own = pid === undefined ? null : read(pid);
  if (pid === undefined || !own) return null;
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (read(Number(name)) ?? []) : []));
  const tree = [own];
  for (const one of tree) tree.push(...all.filter(({ parent }) => parent === one.pid));
  return tree.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

function read(pid: number): { pid: number; parent: number; cpuMs: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in brackets, may contain anything. The times are those of the process and of its ended children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { pid, parent: Number(fields[1]), cpuMs: ticks * TICK_MS };
  } catch {
    return null; // no /proc, or the process has ended
  }
}
