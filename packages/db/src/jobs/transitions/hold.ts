import type { OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import type { DbSession } from '../../postgres/client.js';

/** SQL: the lane of the held job `j`. */
export const LANE_OF_JOB = Prisma.sql`lane_of(j.org_id, j.queue, j.type, j.limit_name, j.limit_key)`;

/** SQL: whether the job `j` is under a limit. */
export const UNDER_LIMIT = Prisma.sql`under_limit(j.org_id, j.limit_name, j.type)`;

/** SQL: whether one of these limits is ordered. */
export const UNDER_ORDERED_LIMIT = Prisma.sql`under_ordered_limit(j.org_id, j.limit_name, j.type)`;

/**
 * enqueued → held, for jobs that a changed limit now applies to. Their number is bounded by the windows of the queues.
 * Waiting jobs become held when the dispatcher lists them, or when an entry from before delivers them. Trigger: every job that
 * becomes held, here and below, writes its lane (`wake_limit_lanes.sql`).
 */
export async function holdEnqueued(db: DbSession, orgId: OrgId): Promise<void> {
  await db.$executeRaw`
    WITH n AS (
      SELECT key FROM live_jobs j
      WHERE j.status = 'pending' AND j.place = 'enqueued' AND j.org_id = ${orgId}::uuid AND ${UNDER_LIMIT}
      ORDER BY j.key FOR UPDATE)
    UPDATE live_jobs SET place = 'held'
    WHERE key IN (SELECT key FROM n) AND status = 'pending' AND place = 'enqueued'`;
}

/**
 * waiting and scheduled → held, for jobs that a changed limit orders, because the dispatcher lists waiting jobs in another
 * order. The oldest jobs first. Returns how many, at most `limit`.
 */
export function holdOrdered(db: DbSession, orgId: OrgId, limit: number): Promise<number> {
  return db.$executeRaw`
    WITH o AS (
      SELECT key FROM live_jobs j
      WHERE j.status = 'pending' AND j.place IN ('waiting', 'scheduled') AND j.org_id = ${orgId}::uuid
        AND ${UNDER_ORDERED_LIMIT}
      ORDER BY coalesce(accepted_at, created_at), key LIMIT ${limit}),
    n AS (SELECT j.key FROM live_jobs j WHERE j.key IN (SELECT key FROM o) ORDER BY j.key FOR UPDATE)
    UPDATE live_jobs SET place = 'held'
    WHERE key IN (SELECT key FROM n) AND status = 'pending' AND place IN ('waiting', 'scheduled')`;
}

/** waiting → held, for those of these jobs that are under a limit. Returns their keys. */
export async function holdWaiting<K extends string>(db: DbSession, keys: readonly K[]): Promise<ReadonlySet<K>> {
  const rows = await db.$queryRaw<{ key: K }[]>`
    UPDATE live_jobs j SET place = 'held'
    WHERE j.key = ANY (${keys}::uuid[]) AND j.status::text = 'pending' AND j.place = 'waiting' AND ${UNDER_LIMIT}
    RETURNING j.key`;
  return new Set(rows.map(({ key }) => key));
}

/** held → waiting, or scheduled if they are not due, for jobs of a lane that no limit applies to any more. Returns how many. */
export function releaseLane(db: DbSession, lane: string, limit: number): Promise<number> {
  return db.$executeRaw`
    WITH n AS (
      SELECT key FROM live_jobs j WHERE ${LANE_OF_JOB} = ${lane}::uuid AND status = 'pending' AND place = 'held' AND retries >= 0
      ORDER BY ${LANE_OF_JOB}, priority DESC, run_at, key LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE live_jobs SET place = CASE WHEN run_at > now() THEN 'scheduled' ELSE 'waiting' END::job_place
    WHERE key IN (SELECT key FROM n) AND status = 'pending'`;
}
