import { type Claim, type CrashCapacity, ISOLATE_AFTER_CRASHES } from '@jobline/db/job-transitions';
import type { RunContext } from '@jobline/handlers';

/**
 * Protects workers from jobs that crash them. When a worker dies, one of its jobs may be the cause; the others only
 * ran at the same time.
 *
 *   1 crash    The job runs among other jobs, but only few such jobs run at a time, so the next crash affects few.
 *   2 crashes  It runs in an isolated process, one job at a time. If that process dies, it fails with `worker_lost`.
 *   5 crashes  It fails with `worker_lost`, because it has crashed its worker even from an isolated process.
 *
 * An attempt that fails while its worker lives on, and is retried, lowers the crash count by one. So a job that was
 * affected by two crashes of its host does not stay isolated for all of its retries, and a job that crashes its worker
 * again crashes at most one more worker per retry.
 *
 * So a job that kills its process crashes two workers and fails no other job, and the jobs that ran at the same time
 * need not all wait to run isolated.
 */
export type CrashIsolation = ReturnType<typeof createCrashIsolation>;

/**
 * Runs the handler of a type in an isolated process, with the context given here. Calls `begin` when the handler
 * begins. Throws PermanentError `worker_lost` if the process ends before the handler does. Throws Postponed if the
 * process could not start: then nothing of the job has run, and the job is not the cause.
 */
export type RunIsolated = (type: string, payload: object, ctx: RunContext, begin: () => void) => Promise<unknown>;

/**
 * A higher limit lets one crash isolate more jobs, each of which costs the start of a process. A lower limit makes all
 * of them take longer.
 */
const MAX_CRASHED_ONCE = 10;

export function createCrashIsolation() {
  let free: CrashCapacity = { crashedOnce: MAX_CRASHED_ONCE, isolated: 1 };
  const add = ({ crashedOnce, isolated }: CrashCapacity) => {
    free = { crashedOnce: free.crashedOnce + crashedOnce, isolated: free.isolated + isolated };
  };
  return {
    /** Reserves all free capacity, for one statement that claims jobs. */
    reserve(): CrashCapacity {
      const taken = free;
      free = { crashedOnce: 0, isolated: 0 };
      return taken;
    },
    /** Releases the reserved capacity that the claims of the statement do not use. */
    confirm(reserved: CrashCapacity, claims: readonly Claim[]): void {
      add(reserved);
      for (const claim of claims) add(capacityOf(claim, -1));
    },
    /** Releases the capacity of a claimed job that no longer runs. */
    release: (claim: Claim): void => add(capacityOf(claim, 1)),
  };
}

export function isIsolated({ crashCount }: Claim): boolean {
  return crashCount >= ISOLATE_AFTER_CRASHES;
}

function capacityOf(claim: Claim, count: number): CrashCapacity {
  const isolated = isIsolated(claim) ? count : 0;
  return { crashedOnce: claim.crashCount > 0 ? count - isolated : 0, isolated };
}
