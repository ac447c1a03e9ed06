import type { OrgId } from '@jobline/contracts';
import type { Occupancy } from '@jobline/db/job-transitions';

/** The organizations that use more than their share of the slots of a queue. */
export interface Shares {
  over: ReadonlySet<OrgId>;
  /** True if no other organization runs a job. Then the organizations over their share may use every free slot. */
  mayFill: boolean;
}

/**
 * Decides which organizations exceed their share. With n organizations that run slow jobs, a share is one of n + 1
 * equal parts of the slots, so that one part is always left for the next organization. Fast jobs never count, because
 * they free their slots soon.
 */
export function decideShares(occupancies: readonly Occupancy[], slots: number): Shares {
  const slow = occupancies.filter((one) => one.slow > 0);
  const share = Math.max(1, slots / (slow.length + 1));
  return {
    over: new Set(slow.filter((one) => one.slow > share).map(({ orgId }) => orgId)),
    mayFill: occupancies.length <= 1,
  };
}
