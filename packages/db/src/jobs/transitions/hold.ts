import type { OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import type { DbSession } from '../../postgres/client.js';

/** SQL: whether the job `j` is under a limit. The statements of the hot path contain a copy. */
export const UNDER_LIMIT = Prisma.sql`(EXISTS (SELECT 1 FROM operator_limits) OR EXISTS (SELECT 1 FROM limits l
  WHERE l.org_id = j.org_id AND (l.name = j.limit_name OR j.type = ANY (l.types))))`;

/** SQL: whether one of these limits is ordered. */
export const UNDER_ORDERED_LIMIT = Prisma.sql`EXISTS (SELECT 1 FROM limits l
  WHERE l.org_id = j.org_id AND l.ordered AND (l.name = j.limit_name OR j.type = ANY (l.types)))`;

/** Scheduled jobs that one change of an ordered limit moves. The others become held when they are due. */
const MAX_SCHEDULED = 10_000;

/**
 * enqueued → held, for jobs that a changed limit now applies to, and scheduled → held, if a limit of theirs is ordered.
 * The number of enqueued jobs is bounded by the windows of the queues. Waiting jobs become held when the dispatcher lists
 * them.
 */
export async function holdEnqueued(db: DbSession, orgId: OrgId): Promise<void> {
  await db.$executeRaw`
    WITH enqueued AS (
      SELECT key FROM live_jobs j
      WHERE j.status = 'pending' AND j.place = 'enqueued' AND j.org_id = ${orgId}::uuid AND ${UNDER_LIMIT}),
    scheduled AS (
      SELECT key FROM live_jobs j
      WHERE j.status = 'pending' AND j.place = 'scheduled' AND j.org_id = ${orgId}::uuid AND ${UNDER_ORDERED_LIMIT}
      ORDER BY run_at LIMIT ${MAX_SCHEDULED}),
    n AS (
      SELECT j.key FROM live_jobs j
      WHERE j.key IN (SELECT key FROM enqueued UNION ALL SELECT key FROM scheduled) ORDER BY j.key FOR UPDATE)
    UPDATE live_jobs SET place = 'held'
    WHERE key IN (SELECT key FROM n) AND status = 'pending' AND place IN ('enqueued', 'scheduled')`;
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
      SELECT key FROM live_jobs WHERE lane = ${lane}::uuid AND status = 'pending' AND place = 'held' AND retries >= 0
      ORDER BY lane, priority DESC, run_at, key LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE live_jobs SET place = CASE WHEN run_at > now() THEN 'scheduled' ELSE 'waiting' END::job_place
    WHERE key IN (SELECT key FROM n) AND status = 'pending'`;
}
