import type { JobStatus, OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import { isOneOf } from './list-jobs.js';
import { ROLL_UP_LAG_MS } from './roll-up.js';

/** Counts of an organization's jobs: those that wait or run now, and those that finished in a window of time. */
export interface JobStatsRow {
  byStatus: Partial<Record<JobStatus, number>>;
  /** The most frequent types, in descending order. */
  byType: [type: string, count: number][];
  /** Every step of the window, oldest first: the jobs that are done, and the attempts that failed. */
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
 * All counts are of one moment. Finished jobs of steps that workers have counted are read from job_counts, and
 * the others are counted here, from an index alone: with workers, those of the last minutes.
 */
export async function countJobs(
  db: DbSession,
  orgId: OrgId,
  { stepMs, steps, maxTypes, types }: JobStatsOptions,
): Promise<JobStatsRow> {
  const ofTypes = types ? Prisma.sql`AND ${isOneOf(Prisma.sql`type`, types)}` : Prisma.empty;
  const counted = (table: Prisma.Sql) => Prisma.sql`
    SELECT at, status, type, n FROM ${table}
    WHERE org_id = ${orgId}::uuid AND step_minutes = p.step_minutes AND at >= p.since AND at < p.until ${ofTypes}`;
  // The counts travel as JSON text: the driver's own JSON reader would lose a type named "__proto__".
  const [row] = await db.$queryRaw<{ stats: string; oldestPendingAt: Date | null }[]>`
    WITH s AS MATERIALIZED (SELECT ${stepMs} * interval '1 ms' AS step),
    t AS MATERIALIZED (
      SELECT step, latest, latest - ${steps - 1}::int * step AS first, latest + step AS until
      FROM s, LATERAL (SELECT date_bin(step, now(), 'epoch') AS latest) AS l),
    parts AS MATERIALIZED (${PARTS}),
    finished AS MATERIALIZED (
      SELECT date_bin((SELECT step FROM t), c.at, 'epoch') AS at, c.status, c.type, sum(c.n) AS n
      FROM parts p CROSS JOIN LATERAL (
        ${counted(Prisma.sql`job_counts`)}
        UNION ALL ${counted(Prisma.sql`job_count_corrections`)}
        UNION ALL
        SELECT finished_at, status, type, 1 FROM finished_jobs
        WHERE p.step_minutes IS NULL AND org_id = ${orgId}::uuid AND finished_at >= p.since AND finished_at < p.until ${ofTypes}
        -- So that no index is chosen for the order of the groups.
        OFFSET 0) AS c
      GROUP BY 1, 2, 3 HAVING sum(c.n) > 0),
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
    failures AS MATERIALIZED (
      SELECT date_bin((SELECT step FROM t), at, 'epoch') AS at, sum(n) AS n FROM failed_attempts
      WHERE org_id = ${orgId}::uuid AND at >= (SELECT first FROM t) AND at < (SELECT until FROM t) ${ofTypes}
      GROUP BY 1),
    series AS (
      SELECT g.at, coalesce(sum(f.n) FILTER (WHERE f.status = 'done'), 0) AS done,
        coalesce((SELECT a.n FROM failures a WHERE a.at = g.at), 0) AS failed
      FROM t CROSS JOIN generate_series(t.first, t.latest, t.step) AS g(at)
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

/**
 * The parts of the window, and the length of the steps in which each is counted; null: it is not counted. Long steps
 * are used as far as they reach, then shorter ones. If the clock of the database was set back, no step after its time
 * counts as counted.
 */
const PARTS = Prisma.sql`
  WITH counted AS (
    SELECT p.step_minutes, t.first, greatest(t.first, p.counted_from, p.counted_until - p.kept_minutes * interval '1 min') AS since,
      least(p.counted_until, date_bin(l.length, now() - ${ROLL_UP_LAG_MS} * interval '1 ms', 'epoch')) AS until
    FROM t, job_count_progress p, LATERAL (SELECT p.step_minutes * interval '1 min' AS length) AS l
    WHERE l.length <= t.step),
  -- Each begins where the longer ones end.
  ranked AS (
    SELECT step_minutes, since, until,
      coalesce(max(greatest(since, until)) OVER (ORDER BY step_minutes DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), first) AS begin
    FROM counted)
  SELECT * FROM (
    SELECT step_minutes, greatest(begin, since) AS since, until FROM ranked
    UNION ALL SELECT NULL, begin, since FROM ranked
    UNION ALL SELECT NULL, coalesce((SELECT max(greatest(since, until)) FROM ranked), first), until FROM t) AS p
  WHERE since < until`;
