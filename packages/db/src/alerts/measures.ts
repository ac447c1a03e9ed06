import { ALERT_LIMITS, LIMITS, type OrgId } from '@jobline/contracts';
import { LANE_OF_JOB } from '../jobs/transitions/hold.js';
import type { DbSession } from '../postgres/client.js';

/** What alerts are decided by. No statement reads all jobs of an organization. Indexes give the first job of each priority. */

/** The jobs of an organization that finished in the last ALERT_LIMITS.windowMinutes. */
export interface FinishedCounts {
  finished: number;
  failed: number;
}

/** The cost is that of the counted jobs: about half a second for a million. */
export async function countFinished(db: DbSession, orgId: OrgId): Promise<FinishedCounts> {
  const [row] = await db.$queryRaw<[FinishedCounts]>`
    SELECT count(*)::float8 AS finished, (count(*) FILTER (WHERE status = 'failed'))::float8 AS failed FROM finished_jobs
    WHERE org_id = ${orgId}::uuid AND finished_at > now() - ${ALERT_LIMITS.windowMinutes}::int * interval '1 minute'`;
  return row;
}

/** Lanes of held jobs that are searched: those whose first jobs have been due longest. The rows of all its lanes are read for that. */
const MAX_LANES = 100;

/**
 * How long the due job of an organization that waits longest has been due, in ms; 0: none is due. `queues`: all queues.
 * Without jobs in Redis, which readEnqueuedMs finds for all organizations.
 */
export async function readWaitingMs(db: DbSession, orgId: OrgId, queues: readonly string[]): Promise<number> {
  const [row] = await db.$queryRaw<[{ ms: number }]>`
    SELECT coalesce(extract(epoch FROM now() - min(run_at)) * 1000, 0)::float8 AS ms FROM (
      SELECT w.run_at FROM unnest(${queues}::text[]) AS q(queue), generate_series(0, ${LIMITS.maxPriority}::int) AS p(priority), LATERAL (
        SELECT run_at FROM live_jobs
        WHERE status = 'pending' AND place = 'waiting' AND live_jobs.queue = q.queue AND org_id = ${orgId}::uuid
          AND live_jobs.priority = p.priority AND run_at <= now()
        ORDER BY run_at LIMIT 1) AS w
      UNION ALL
      -- Those that have just become due, or all of them if no worker runs.
      (SELECT run_at FROM live_jobs
       WHERE status = 'pending' AND place = 'scheduled' AND org_id = ${orgId}::uuid AND run_at <= now()
       ORDER BY org_id, run_at LIMIT 1)
      UNION ALL
      SELECT h.run_at FROM (
        SELECT lane FROM limit_lanes WHERE org_id = ${orgId}::uuid ORDER BY head_at LIMIT ${MAX_LANES}) AS l,
        generate_series(0, ${LIMITS.maxPriority}::int) AS p(priority), LATERAL (
        SELECT j.run_at FROM live_jobs j
        -- The condition on retries selects the index.
        WHERE ${LANE_OF_JOB} = l.lane AND j.status = 'pending' AND j.place = 'held' AND j.retries >= 0
          AND j.priority = p.priority AND j.run_at <= now()
        ORDER BY j.run_at LIMIT 1) AS h) AS due`;
  return row.ms;
}

/** More jobs than are in Redis usually. */
const MAX_ENQUEUED = 50_000;

/** How long the job in Redis of each of these organizations that waits longest has been due, in ms. */
export async function readEnqueuedMs(db: DbSession, orgIds: readonly OrgId[]): Promise<ReadonlyMap<OrgId, number>> {
  if (orgIds.length === 0) return new Map();
  const rows = await db.$queryRaw<{ orgId: OrgId; ms: number }[]>`
    SELECT org_id AS "orgId", (extract(epoch FROM now() - min(run_at)) * 1000)::float8 AS ms FROM (
      SELECT org_id, run_at FROM live_jobs
      WHERE status = 'pending' AND place = 'enqueued' AND run_at <= now() AND key > '00000000-0000-0000-0000-000000000000'
      ORDER BY key LIMIT ${MAX_ENQUEUED}) AS e
    WHERE org_id = ANY (${orgIds}::uuid[]) GROUP BY org_id`;
  return new Map(rows.map(({ orgId, ms }) => [orgId, ms]));
}
