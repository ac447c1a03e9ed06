import type { DbSession } from '../postgres/client.js';
import { FIRST_ID } from '../postgres/page.js';

/** The lengths of the steps of job_counts in minutes, the shortest first. */
export const ROLL_UP_STEPS = [1, 30, 180] as const;
export type RollUpStep = (typeof ROLL_UP_STEPS)[number];

/**
 * A step is not counted before this time after its end. It must be longer than a statement may take: so a statement that ends
 * jobs has a transaction number when the step of their time may be counted, even if it waited for a lock.
 */
export const ROLL_UP_LAG_MS = 60_000;

/** A moment of the database, to decide which steps are complete. */
export interface RollUpClock {
  /** No statement can begin to end jobs before this time any more. */
  until: Date;
  /** The oldest transaction that has not ended. */
  oldest: bigint;
  /**
   * The transaction that begins next. All jobs that finished before `until` are visible once the transactions before it
   * have ended.
   */
  next: bigint;
  /** The lengths of which a step before `until` is not counted yet, or one after it is. */
  due: RollUpStep[];
}

/** `until`: tests choose it. */
export async function readRollUpClock(db: DbSession, until?: Date): Promise<RollUpClock> {
  const [row] = await db.$queryRaw<{ until: Date; oldest: string; next: string; due: RollUpStep[] }[]>`
    WITH t AS MATERIALIZED (
      SELECT coalesce(${until?.toISOString() ?? null}::timestamptz,
        date_trunc('milliseconds', clock_timestamp()) - ${ROLL_UP_LAG_MS} * interval '1 ms') AS until)
    SELECT t.until, pg_snapshot_xmin(pg_current_snapshot())::text AS oldest, pg_snapshot_xmax(pg_current_snapshot())::text AS next,
      ARRAY(
        SELECT step_minutes::int FROM job_count_progress
        WHERE counted_until + step_minutes * interval '1 min' <= t.until OR counted_until > t.until ORDER BY 1) AS due
    FROM t`;
  if (!row) throw new Error('a statement that returns one row returned none');
  return { ...row, oldest: BigInt(row.oldest), next: BigInt(row.next) };
}

interface Progress {
  /** The steps to count begin and end here. Equal: none is due. */
  since: Date;
  until: Date;
  keptSince: Date;
  afterOrg: string | null;
}

export interface RollUpOptions {
  step: RollUpStep;
  /** Only steps that end before it are counted. Every job that finished before it must be visible. */
  until: Date;
  /** Maximum number of steps that are counted at once. */
  steps: number;
  /** Maximum number of organizations for which they are counted. */
  orgs: number;
}

/**
 * Counts the next steps for the next organizations. Must be in a transaction: its first statement locks the progress, so that the
 * counts of two workers are written one after the other, and each from what is visible after the lock. Returns whether more may be
 * due.
 */
export async function rollUpPage(tx: DbSession, { step, until, steps, orgs }: RollUpOptions): Promise<boolean> {
  const due = await lockProgress(tx, { step, until, steps });
  if (due.since >= due.until) return false;
  const after = due.afterOrg ?? FIRST_ID;
  const since = due.since.toISOString();
  const end = due.until.toISOString();
  // Counts that are no longer read, and those of steps that are counted again.
  await tx.$executeRaw`
    WITH page AS MATERIALIZED (SELECT id FROM organizations WHERE id > ${after}::uuid ORDER BY id LIMIT ${orgs})
    DELETE FROM job_counts c USING page, (VALUES
      ('-infinity'::timestamptz, ${due.keptSince.toISOString()}::timestamptz), (${since}::timestamptz, ${end}::timestamptz)) AS r(since, until)
    WHERE c.org_id = page.id AND c.step_minutes = ${step}::smallint AND c.at >= r.since AND c.at < r.until`;
  // In one statement: a job that is deleted meanwhile is either not counted, or its correction stays.
  await tx.$executeRaw`
    WITH page AS MATERIALIZED (SELECT id FROM organizations WHERE id > ${after}::uuid ORDER BY id LIMIT ${orgs}),
    applied AS (
      DELETE FROM job_count_corrections c USING page
      WHERE c.org_id = page.id AND c.step_minutes = ${step}::smallint AND c.at >= ${since}::timestamptz AND c.at < ${end}::timestamptz),
    counted AS (
      INSERT INTO job_counts (org_id, step_minutes, at, type, status, n)
      SELECT page.id, ${step}::smallint, date_bin(${step}::int * interval '1 min', f.finished_at, 'epoch') AS at, f.type, f.status, count(*)
      FROM page CROSS JOIN LATERAL (
        SELECT finished_at, type, status FROM finished_jobs
        WHERE org_id = page.id AND finished_at >= ${since}::timestamptz AND finished_at < ${end}::timestamptz OFFSET 0) AS f
      GROUP BY page.id, 3, f.type, f.status)
    UPDATE job_count_progress p SET
      after_org = CASE WHEN g.is_full THEN g.last END,
      counted_until = CASE WHEN g.is_full THEN p.counted_until ELSE p.counting_until END
    FROM (SELECT count(*) = ${orgs} AS is_full, (array_agg(id ORDER BY id DESC))[1] AS last FROM page) AS g
    WHERE p.step_minutes = ${step}::smallint`;
  return true;
}

/**
 * Begins to count the next steps, unless some are being counted. Of those, it continues with at most `steps`. Steps that are no
 * longer read are skipped, for example after a week without workers. If the clock of the database was set back, the steps after
 * its time are counted again.
 */
async function lockProgress(tx: DbSession, { step, until, steps }: Omit<RollUpOptions, 'orgs'>): Promise<Progress> {
  const [row] = await tx.$queryRaw<Progress[]>`
    WITH t AS MATERIALIZED (
      SELECT step_minutes, l.length, kept_minutes * interval '1 min' AS kept, date_bin(l.length, ${until.toISOString()}::timestamptz, 'epoch') AS latest
      FROM job_count_progress, LATERAL (SELECT step_minutes * interval '1 min' AS length) AS l)
    UPDATE job_count_progress p SET
      counted_from = CASE
        WHEN p.counted_until < t.latest - t.kept THEN t.latest - t.kept
        WHEN p.counted_until > t.latest THEN greatest(p.counted_from, p.counted_until - t.kept)
        ELSE p.counted_from END,
      counted_until = least(greatest(p.counted_until, t.latest - t.kept), t.latest),
      counting_until = CASE
        WHEN p.after_org IS NOT NULL AND p.counted_until >= t.latest - t.kept AND p.counting_until <= t.latest
          THEN least(p.counting_until, p.counted_until + ${steps}::int * t.length)
        ELSE least(greatest(p.counted_until, t.latest - t.kept) + ${steps}::int * t.length, t.latest) END,
      after_org = CASE WHEN p.counted_until >= t.latest - t.kept AND p.counting_until <= t.latest THEN p.after_org END
    FROM t WHERE p.step_minutes = ${step}::smallint AND t.step_minutes = p.step_minutes
    RETURNING p.counted_until AS since, p.counting_until AS until, p.counted_until - t.kept AS "keptSince", p.after_org AS "afterOrg"`;
  if (!row) throw new Error('job_count_progress has no row for a step');
  return row;
}

/**
 * Adds at most `limit` corrections to the counts. Must be in a transaction, like `rollUpPage`. Returns how many corrections it has
 * added.
 */
export async function applyCorrections(
  tx: DbSession,
  { step, limit }: { step: RollUpStep; limit: number },
): Promise<number> {
  await tx.$queryRaw`SELECT 1 FROM job_count_progress WHERE step_minutes = ${step}::smallint FOR UPDATE`;
  const [row] = await tx.$queryRaw<{ count: number }[]>`
    WITH due AS MATERIALIZED (
      SELECT c.ctid FROM job_count_corrections c JOIN job_count_progress p USING (step_minutes)
      WHERE step_minutes = ${step}::smallint AND c.at < p.counted_until LIMIT ${limit}),
    applied AS (
      DELETE FROM job_count_corrections c WHERE c.ctid = ANY (ARRAY(SELECT ctid FROM due)) RETURNING c.*),
    sums AS (SELECT org_id, at, type, status, sum(n) AS n FROM applied GROUP BY 1, 2, 3, 4),
    changed AS (
      UPDATE job_counts c SET n = c.n + s.n FROM sums s
      WHERE c.org_id = s.org_id AND c.step_minutes = ${step}::smallint AND c.at = s.at AND c.type = s.type AND c.status = s.status)
    SELECT count(*)::int AS count FROM applied`;
  return row?.count ?? 0;
}
