import type { OrgId } from '@jobline/contracts';
import { type Db, deleteExpiredMessagesOf } from '@jobline/db';
import { deleteExpiredJobs, listOldOf, listRetainingOrgs, type RetainingOrg } from '@jobline/db/job-transitions';
import type { EngineEvents } from '../events.js';

/**
 * Deletes some old data of the next organizations that keep it for less time than the installation does. Returns whether there may
 * be more.
 */
export type DeleteByOrg = () => Promise<boolean>;

/** Organizations of one call. */
const ORGS = 10;
/** Maximum number of rows that one statement deletes; of messages, in each status. */
const JOBS = 1_000;
const MESSAGES = 100;

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
    const messages = await deleteExpiredMessagesOf(db, { ...org, limit: MESSAGES });
    return keys.length === JOBS || messages >= MESSAGES;
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
