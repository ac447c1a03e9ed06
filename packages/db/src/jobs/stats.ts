import type { JobStatus, OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { Db } from '../postgres/client.js';
import { isOneOf } from './job-rows.js';

/** Counts of an organization's jobs: those that wait or run now, and those that finished in a window of time. */
export interface JobStatsRow {
  byStatus: Partial<Record<JobStatus, number>>;
  /** The most frequent types, in descending order. */
  byType: [type: string, count: number][];
  /** Every step of the window, oldest first. */
  series: { at: Date; done: number; failed: number }[];
  /** When the oldest of the pending jobs was accepted. */
  oldestPendingAt: Date | null;
}

export interface JobStatsOptions {
  stepMs: number;
  /** Number of steps. The last one contains the database's current time. Steps begin at multiples of their length. */
  steps: number;
  maxTypes: number;
  /** Only jobs of these types are counted; null or absent: all. */
  types?: readonly string[] | null;
}

/**
 * All counts are of one moment, so that they add up. The cost is that of the counted jobs, read from indexes alone:
 * about half a second for a million, and nothing for those that finished earlier.
 */
export async function countJobs(
  db: Db,
  orgId: OrgId,
  { stepMs, steps, maxTypes, types }: JobStatsOptions,
): Promise<JobStatsRow> {
  const ofTypes = types ? Prisma.sql`AND ${isOneOf(Prisma.sql`type`, types)}` : Prisma.empty;
  // The counts travel as JSON text: the driver's own JSON reader would lose a type named "__proto__".
  const [row] = await db.$queryRaw<{ stats: string; oldestPendingAt: Date | null }[]>`
    WITH s AS MATERIALIZED (SELECT ${stepMs} * interval '1 ms' AS step),
    t AS MATERIALIZED (SELECT step, date_bin(step, now(), 'epoch') AS latest FROM s),
    finished AS MATERIALIZED (
      SELECT date_bin((SELECT step FROM t), finished_at, 'epoch') AS at, status, type, count(*) AS n FROM (
        SELECT finished_at, status, type FROM finished_jobs
        WHERE org_id = ${orgId}::uuid AND finished_at >= (SELECT latest - ${steps - 1}::int * step FROM t) AND finished_at < (SELECT latest + step FROM t)
          ${ofTypes}
        -- So that no index is chosen for the order of the groups.
        OFFSET 0) AS f
      GROUP BY 1, 2, 3),
    unfinished AS MATERIALIZED (
      -- With a constant status the index of pending jobs suffices.
      SELECT 'pending'::job_status AS status, type, count(*) AS n FROM live_jobs
      WHERE org_id = ${orgId}::uuid AND status = 'pending' ${ofTypes} GROUP BY type
      UNION ALL
      SELECT 'processing', type, count(*) FROM live_jobs
      WHERE org_id = ${orgId}::uuid AND status = 'processing' ${ofTypes} GROUP BY type),
    counted AS (SELECT status, type, n FROM finished UNION ALL SELECT status, type, n FROM unfinished),
    by_status AS (SELECT status, sum(n) AS n FROM counted GROUP BY 1),
    by_type AS (SELECT type, sum(n) AS n FROM counted GROUP BY 1 ORDER BY n DESC, type LIMIT ${maxTypes}),
    series AS (
      SELECT g.at, coalesce(sum(f.n) FILTER (WHERE f.status = 'done'), 0) AS done,
        coalesce(sum(f.n) FILTER (WHERE f.status = 'failed'), 0) AS failed
      FROM t CROSS JOIN generate_series(t.latest - ${steps - 1}::int * t.step, t.latest, t.step) AS g(at)
      LEFT JOIN finished f ON f.at = g.at GROUP BY 1)
    SELECT
      json_build_object(
        'byStatus', (SELECT json_object_agg(status, n) FROM by_status),
        'byType', (SELECT json_agg(json_build_array(type, n) ORDER BY n DESC, type) FROM by_type),
        'series', (SELECT json_agg(json_build_array(extract(epoch FROM at) * 1000, done, failed) ORDER BY at) FROM series)
      )::text AS stats,
      (SELECT min(created_at) FROM live_jobs WHERE org_id = ${orgId}::uuid AND status = 'pending' ${ofTypes}) AS "oldestPendingAt"`;
  if (!row) throw new Error('a statement that returns one row returned none');
  // The cast: the statement above builds exactly this; an aggregate over no rows is null.
  const stats = JSON.parse(row.stats) as {
    byStatus: JobStatsRow['byStatus'] | null;
    byType: JobStatsRow['byType'] | null;
    series: [atMs: number, done: number, failed: number][];
  };
  return {
    byStatus: stats.byStatus ?? {},
    byType: stats.byType ?? [],
    series: stats.series.map(([atMs, done, failed]) => ({ at: new Date(atMs), done, failed })),
    oldestPendingAt: row.oldestPendingAt,
  };
}
