import { ALERT_LIMITS, type JobErrorCode, LIMITS, type OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import { IS_PARKED, LANE_OF_JOB } from '../jobs/transitions/held.js';
import { WAITING_QUEUES } from '../jobs/waiting-queues.js';
import type { DbSession } from '../postgres/client.js';

/**
 * What alerts are decided by. No statement reads all jobs of an organization. Indexes give the first job of each priority, or of
 * each type. `types`: only jobs of these types count; empty: of all types.
 */

/** Ends that say nothing about attempts. */
const WITHOUT_ATTEMPT: readonly JobErrorCode[] = ['canceled', 'expired', 'dependency_failed'];

/** The jobs of an organization that finished in the last ALERT_LIMITS.windowMinutes, after an attempt. */
export interface FinishedCounts {
  finished: number;
  failed: number;
}

/** The cost is that of the counted jobs: about half a second for a million. */
export async function countFinished(
  db: DbSession,
  orgId: OrgId,
  types: readonly string[] = [],
): Promise<FinishedCounts> {
  const inWindow = Prisma.sql`FROM finished_jobs
    WHERE org_id = ${orgId}::uuid AND finished_at > now() - ${ALERT_LIMITS.windowMinutes}::int * interval '1 minute'
      ${types.length === 0 ? Prisma.empty : Prisma.sql`AND type = ANY (${types}::text[])`}`;
  // Two counts: only that of the failed jobs reads more than the index of the statistics.
  const [row] = await db.$queryRaw<[FinishedCounts]>`
    SELECT d.done + f.failed AS finished, f.failed FROM
      (SELECT count(*)::float8 AS done ${inWindow} AND status = 'done') AS d,
      (SELECT count(*)::float8 AS failed ${inWindow} AND status = 'failed'
        AND error_code <> ALL (${WITHOUT_ATTEMPT}::text[])) AS f`;
  return row;
}

/** Lanes of held jobs that are searched: those whose first jobs have been due longest. The rows of all its lanes are read for that. */
const MAX_LANES = 100;

/**
 * How long the due job of an organization that waits longest has been due, in ms; 0: none is due.
 * Without jobs in Redis, which readEnqueuedMs finds for all organizations.
 */
export async function readWaitingMs(db: DbSession, orgId: OrgId, types: readonly string[] = []): Promise<number> {
  if (types.length > 0) return readWaitingMsOf(db, orgId, types);
  const [row] = await db.$queryRaw<[{ ms: number }]>`
    WITH ${WAITING_QUEUES}
    SELECT coalesce(extract(epoch FROM now() - min(run_at)) * 1000, 0)::float8 AS ms FROM (
      SELECT w.run_at FROM waiting_queues q, generate_series(0, ${LIMITS.maxPriority}::int) AS p(priority), LATERAL (
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

/** Due jobs of one type, and scheduled ones of all types, that are searched. */
const SEARCHED = { ofType: 100, scheduled: 1_000 };

async function readWaitingMsOf(db: DbSession, orgId: OrgId, types: readonly string[]): Promise<number> {
  const [row] = await db.$queryRaw<[{ ms: number }]>`
    SELECT coalesce(extract(epoch FROM now() - min(run_at)) * 1000, 0)::float8 AS ms FROM (
      SELECT j.run_at FROM unnest(${types}::text[]) AS n(type), LATERAL (
        SELECT run_at, queue FROM live_jobs
        -- The condition on enqueue_seq selects the index.
        WHERE org_id = ${orgId}::uuid AND live_jobs.type = n.type AND status = 'pending' AND place IN ('waiting', 'held')
          AND enqueue_seq >= 0 AND run_at <= now()
        ORDER BY org_id, live_jobs.type, run_at LIMIT ${SEARCHED.ofType}) AS j
      WHERE NOT ${IS_PARKED}
      UNION ALL
      SELECT s.run_at FROM (
        SELECT run_at, type FROM live_jobs
        WHERE status = 'pending' AND place = 'scheduled' AND org_id = ${orgId}::uuid AND run_at <= now()
        ORDER BY org_id, run_at LIMIT ${SEARCHED.scheduled}) AS s
      WHERE s.type = ANY (${types}::text[])) AS due`;
  return row.ms;
}

/** More jobs than are in Redis usually. */
const MAX_ENQUEUED = 50_000;

/** How long the job in Redis of each of these organizations that waits longest has been due, in ms. */
export async function readEnqueuedMs(
  db: DbSession,
  orgs: readonly { orgId: OrgId; types: readonly string[] }[],
): Promise<ReadonlyMap<OrgId, number>> {
  if (orgs.length === 0) return new Map();
  // One row for each type, and one for an organization without types.
  const chosen = orgs.flatMap(({ orgId, types }) =>
    (types.length === 0 ? [null] : types).map((type) => ({ orgId, type })),
  );
  const rows = await db.$queryRaw<{ orgId: OrgId; ms: number }[]>`
    SELECT org_id AS "orgId", (extract(epoch FROM now() - min(run_at)) * 1000)::float8 AS ms FROM (
      SELECT org_id, run_at, type FROM live_jobs
      WHERE status = 'pending' AND place = 'enqueued' AND run_at <= now() AND key > '00000000-0000-0000-0000-000000000000'
      ORDER BY key LIMIT ${MAX_ENQUEUED}) AS e
    JOIN unnest(${chosen.map(({ orgId }) => orgId)}::uuid[], ${chosen.map(({ type }) => type)}::text[]) AS c(org_id, chosen)
      USING (org_id)
    WHERE chosen IS NULL OR chosen = type GROUP BY org_id`;
  return new Map(rows.map(({ orgId, ms }) => [orgId, ms]));
}
