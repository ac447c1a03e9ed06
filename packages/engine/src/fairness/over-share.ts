import type { OrgId } from '@jobline/contracts';
import type { Occupancy } from '@jobline/db/job-transitions';

/**
 * Returns the organizations that use more than their share of the slots of a queue. With n organizations that run slow jobs, a share is one of n + 1
 * equal parts of the slots, so that one part is always left for the next organization. Fast jobs never count, because
 * they free their slots soon.
 */
export function orgsOverShare(occupancies: readonly Occupancy[], slots: number): ReadonlySet<OrgId> {
  const slow = occupancies.filter((one) => one.slow > 0);
  const share = Math.max(1, slots / (slow.length + 1));
  return new Set(slow.filter((one) => one.slow > share).map(({ orgId }) => orgId));
}
