import { readFileSync } from 'node:fs';

/** The length of a clock tick for programs on Linux, independent of the kernel (USER_HZ). */
const TICK_MS = 10;

/**
 * The processor time in milliseconds, in steps of 10, that all threads of a process have used. Null if it cannot be
 * read: without /proc of Linux, or for a process that is gone. The format: proc_pid_stat(5).
 */
export function cpuMsOf(pid: number | undefined): number | null {
  const stat = readStat(pid);
  if (stat === null) return null;
  // The second field is the name of the program, in parentheses and perhaps with spaces. utime and stime are fields 14
  // and 15.
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
