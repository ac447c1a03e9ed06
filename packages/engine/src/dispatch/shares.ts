import type { OrgId } from '@jobline/contracts';
import type { Occupancy } from '@jobline/db/job-transitions';

/** Which organizations hold more than their share of a queue's slots. */
export interface Shares {
  over: ReadonlySet<OrgId>;
  /** Whether those may have every slot that is free, because nobody else runs anything. */
  mayFill: boolean;
}

/**
 * Decides who is over its share. With n organizations that run slow jobs, a share is one of n + 1 equal parts of the slots,
 * so that there is always one for those that come next. Fast jobs never count: they give their slots back by themselves.
 */
export function decideShares(occupancies: readonly Occupancy[], slots: number): Shares {
  const slow = occupancies.filter((one) => one.slow > 0);
  const share = Math.max(1, slots / (slow.length + 1));
  return {
    over: new Set(slow.filter((one) => one.slow > share).map(({ orgId }) => orgId)),
    mayFill: occupancies.length <= 1,
  };
}
