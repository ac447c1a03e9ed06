import type { OrgId } from '@jobline/contracts';
import type { LimitedJob } from '../limits/limit-rules.js';
import type { DbSession } from '../postgres/client.js';
import type { PendingStage } from './transitions/insert.js';

/** The number of an organization's pending jobs, at most `max`. */
export async function countPending(db: DbSession, orgId: OrgId, max: number): Promise<number> {
  const [row] = await db.$queryRaw<[{ n: number }]>`
    SELECT count(*)::int AS n FROM (
      SELECT 1 FROM live_jobs WHERE status = 'pending' AND org_id = ${orgId}::uuid LIMIT ${max}) AS pending`;
  return row.n;
}

/** What a pending job may wait for. */
export interface PendingJob extends LimitedJob {
  key: string;
  queue: string;
  stage: PendingStage;
  /** Whether it does not run yet because of its `run_at`, or because a retry is not due. */
  isEarly: boolean;
  /** Whether it has run before since it was submitted or retried by hand. */
  isRetry: boolean;
  /** The slots of the live workers of its queue, and how many jobs run there. */
  slots: number;
  running: number;
  nowMs: number;
}

/** A pending job, or null. */
export async function findPending(
  db: DbSession,
  orgId: OrgId,
  id: string,
  leaseMs: number,
): Promise<PendingJob | null> {
  const [row] = await db.$queryRaw<PendingJob[]>`
    SELECT j.key, j.org_id AS "orgId", j.type, coalesce(j.limit_name, '') AS "limitName",
      coalesce(j.limit_key, '') AS "limitKey", j.queue, j.place::text AS stage, j.run_at > clock_timestamp() AS "isEarly",
      j.retries > 0 OR j.crash_count > 0 AS "isRetry",
      (SELECT coalesce(sum(q.slots), 0)::int FROM workers w, unnest(w.queues, w.concurrency) AS q(queue, slots)
       WHERE q.queue = j.queue AND w.heartbeat_at > clock_timestamp() - ${leaseMs} * interval '1 ms') AS slots,
      (SELECT count(*)::int FROM live_jobs r WHERE r.status = 'processing' AND r.queue = j.queue) AS running,
      floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"
    FROM submitted_jobs s JOIN live_jobs j ON j.key = s.key
    WHERE s.org_id = ${orgId}::uuid AND s.id = ${id} AND j.status::text = 'pending'`;
  return row ?? null;
}
