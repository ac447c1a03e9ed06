import { readFileSync } from 'node:fs';

/** What a clock tick is to programs on Linux, whatever the kernel counts in (USER_HZ). */
const TICK_MS = 10;

/**
 * Milliseconds of processor time, in steps of 10, that all threads of a process have used. Null where that cannot be
 * read: without Linux' /proc, or for a process that is gone. Format: proc_pid_stat(5).
 */
export function cpuMsOf(pid: number | undefined): number | null {
  const stat = readStat(pid);
  if (stat === null) return null;
  // The name of the program comes second, in parentheses, and may have spaces: utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function readStat(pid: number | undefined): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
}
