import type { OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { deleteExpiredJobs, listOldOf, listRetainingOrgs, type RetainingOrg } from '@jobline/db/job-transitions';
import type { EngineEvents } from '../reporting/events.js';

/**
 * Deletes some old jobs of the next organizations that keep them for less time than the installation does. Returns whether there
 * may be more.
 */
export type DeleteByOrg = () => Promise<boolean>;

/** Organizations of one call. */
const ORGS = 10;
/** Maximum number of jobs that one statement deletes. */
const JOBS = 1_000;

/** `days`: how long the installation keeps finished jobs. */
export function createDeleteByOrg({ db, events, days }: { db: Db; events: EngineEvents; days: number }): DeleteByOrg {
  /** The last organization of the previous call; null: a new pass over all of them begins. */
  let after: OrgId | null = null;
  /** Whether an organization has more than this pass has deleted. */
  let isBehind = false;

  async function deleteOf(org: RetainingOrg): Promise<boolean> {
    const keys = await listOldOf(db, org, JOBS);
    const count = keys.length > 0 ? await deleteExpiredJobs(db, keys, org.days) : 0;
    if (count > 0) events.emit('jobs.expired', { count });
    return keys.length === JOBS;
  }

  return async () => {
    const orgs = await listRetainingOrgs(db, { after, days, limit: ORGS });
    for (const org of orgs) isBehind = (await deleteOf(org)) || isBehind;
    const isEnd = orgs.length < ORGS;
    const hasMore = !isEnd || isBehind;
    after = isEnd ? null : (orgs.at(-1)?.orgId ?? null);
    if (isEnd) isBehind = false;
    return hasMore;
  };
}
