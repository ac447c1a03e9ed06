import { type Claim, type CrashCapacity, ISOLATE_AFTER_CRASHES } from '@jobline/db/job-transitions';
import type { RunContext } from '@jobline/handlers';

/**
 * What becomes of jobs whose worker died with them. One of them may have killed it; the others only ran beside it.
 *
 *   lost once    runs among the others, but few such jobs at a time: so the next death hits few of them
 *   lost twice   runs in a process of its own, one at a time; if that dies too, the job fails with `worker_lost`
 *   lost often   fails with `worker_lost`: even from a process of its own it has ended its worker
 *
 * An attempt that fails while its worker lives on, and is retried, takes one loss off: a job that met two crashes of its
 * host is not alone for as long as it is retried, and one that goes on killing ends at most one worker per retry more.
 *
 * So a job that kills its process ends two workers and nobody's job but its own, and those beside it need not all wait
 * their turn to run alone.
 */
export interface CrashIsolation {
  /** Takes all count that are free, for a statement that claims. */
  reserve(): CrashCapacity;
  /** Gives back the count that the statement's claims do not use. */
  confirm(reserved: CrashCapacity, claims: readonly Claim[]): void;
  /** The claimed job runs no more. */
  release(claim: Claim): void;
}

/**
 * Runs a type's handler in a process of its own, under the context given here. Calls `begin` when the handler begins.
 * Throws PermanentError `worker_lost` if the process ends before the handler does, and Postponed if it could not begin:
 * then nothing of the job has run, and the job is not to blame.
 */
export type RunIsolated = (type: string, payload: object, ctx: RunContext, begin: () => void) => Promise<unknown>;

/** The more, the more of them end up alone, where each costs the start of a process; the fewer, the longer all take. */
const MAX_CRASHED_ONCE = 10;

export function createCrashIsolation(): CrashIsolation {
  let free: CrashCapacity = { crashedOnce: MAX_CRASHED_ONCE, isolated: 1 };
  const add = ({ crashedOnce, isolated }: CrashCapacity) => {
    free = { crashedOnce: free.crashedOnce + crashedOnce, isolated: free.isolated + isolated };
  };
  return {
    reserve() {
      const taken = free;
      free = { crashedOnce: 0, isolated: 0 };
      return taken;
    },
    confirm(reserved, claims) {
      add(reserved);
      for (const claim of claims) add(capacityOf(claim, -1));
    },
    release: (claim) => add(capacityOf(claim, 1)),
  };
}

export function isIsolated({ crashCount }: Claim): boolean {
  return crashCount >= ISOLATE_AFTER_CRASHES;
}

function capacityOf(claim: Claim, count: number): CrashCapacity {
  const isolated = isIsolated(claim) ? count : 0;
  return { crashedOnce: claim.crashCount > 0 ? count - isolated : 0, isolated };
}
