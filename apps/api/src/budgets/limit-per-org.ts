import type { OrgId } from '@jobline/contracts';
import { type ConcurrencyLimiter, limitConcurrency } from '@jobline/runtime';

/**
 * Runs at most `count` works of an organization at the same time, in the order of the calls. So one organization cannot fill the
 * queue of the connection pool, in which the statements of all wait.
 */
export function limitPerOrg(count: number): <T>(orgId: OrgId, work: () => Promise<T>) => Promise<T> {
  const limiters = new Map<OrgId, { run: ConcurrencyLimiter; works: number }>();
  return async (orgId, work) => {
    const own = limiters.get(orgId) ?? { run: limitConcurrency(count), works: 0 };
    limiters.set(orgId, own);
    own.works++;
    try {
      return await own.run(work);
    } finally {
      own.works--;
      if (own.works === 0) limiters.delete(orgId);
    }
  };
}
