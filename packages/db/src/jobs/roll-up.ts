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
  /** The transaction that begins next. All jobs that ended before `until` are visible once the transactions before it have ended. */
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
  at: Date;
  keptSince: Date;
  afterOrg: string | null;
  isDue: boolean;
}

/**
 * Counts the next step for the next organizations, at most `orgs` of them. Every job that finished before `until` must be visible.
 * Must be in a transaction: its first statement locks the progress, so that the counts of two workers are written one after the
 * other, and each from what is visible after the lock. Returns whether more may be due.
 */
export async function rollUpPage(
  tx: DbSession,
  { step, until, orgs }: { step: RollUpStep; until: Date; orgs: number },
): Promise<boolean> {
  const { at, keptSince, afterOrg, isDue } = await lockProgress(tx, step, until);
  if (!isDue) return false;
  const after = afterOrg ?? FIRST_ID;
  // Counts that are no longer read, and those of a step that is counted again.
  await tx.$executeRaw`
    WITH page AS MATERIALIZED (SELECT id FROM organizations WHERE id > ${after}::uuid ORDER BY id LIMIT ${orgs})
    DELETE FROM job_counts c USING page, (VALUES
      ('-infinity'::timestamptz, ${keptSince.toISOString()}::timestamptz),
      (${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz + ${step}::int * interval '1 min')) AS r(since, until)
    WHERE c.org_id = page.id AND c.step_minutes = ${step}::smallint AND c.at >= r.since AND c.at < r.until`;
  // In one statement: a job that is deleted meanwhile is either not counted, or its correction stays.
  await tx.$executeRaw`
    WITH t AS MATERIALIZED (SELECT ${at.toISOString()}::timestamptz AS at, ${step}::int * interval '1 min' AS length),
    page AS MATERIALIZED (SELECT id FROM organizations WHERE id > ${after}::uuid ORDER BY id LIMIT ${orgs}),
    applied AS (
      DELETE FROM job_count_corrections c USING page
      WHERE c.org_id = page.id AND c.step_minutes = ${step}::smallint AND c.at = (SELECT at FROM t)),
    counted AS (
      INSERT INTO job_counts (org_id, step_minutes, at, type, status, n)
      SELECT page.id, ${step}::smallint, (SELECT at FROM t), f.type, f.status, count(*)
      FROM page CROSS JOIN LATERAL (
        SELECT type, status FROM finished_jobs
        WHERE org_id = page.id AND finished_at >= (SELECT at FROM t) AND finished_at < (SELECT at + length FROM t) OFFSET 0) AS f
      GROUP BY page.id, f.type, f.status)
    UPDATE job_count_progress p SET
      after_org = CASE WHEN g.is_full THEN g.last END,
      counted_until = CASE WHEN g.is_full THEN t.at ELSE t.at + t.length END
    FROM t, (SELECT count(*) = ${orgs} AS is_full, (array_agg(id ORDER BY id DESC))[1] AS last FROM page) AS g
    WHERE p.step_minutes = ${step}::smallint`;
  return true;
}

/**
 * Steps that are no longer read are skipped, for example after a week without workers. If the clock of the database was set back,
 * the steps after its time are counted again.
 */
async function lockProgress(tx: DbSession, step: RollUpStep, until: Date): Promise<Progress> {
  const [row] = await tx.$queryRaw<Progress[]>`
    WITH t AS MATERIALIZED (
      SELECT step_minutes, date_bin(step_minutes * interval '1 min', ${until.toISOString()}::timestamptz, 'epoch') AS latest,
        kept_minutes * interval '1 min' AS kept
      FROM job_count_progress)
    UPDATE job_count_progress p SET
      counted_from = CASE
        WHEN p.counted_until < t.latest - t.kept THEN t.latest - t.kept
        WHEN p.counted_until > t.latest THEN greatest(p.counted_from, p.counted_until - t.kept)
        ELSE p.counted_from END,
      counted_until = least(greatest(p.counted_until, t.latest - t.kept), t.latest),
      after_org = CASE WHEN p.counted_until BETWEEN t.latest - t.kept AND t.latest THEN p.after_org END
    FROM t WHERE p.step_minutes = ${step}::smallint AND t.step_minutes = p.step_minutes
    RETURNING p.counted_until AS at, p.counted_until - t.kept AS "keptSince", p.after_org AS "afterOrg", p.counted_until < t.latest AS "isDue"`;
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
