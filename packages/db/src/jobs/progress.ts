import type { JobKey, OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import { retryDeadlocks } from '../postgres/errors.js';

/** How far an attempt is, as its handler last reported it. */
export interface Progress {
  /** 0 to 100. */
  percent: number;
  /** Null: the handler gave none. */
  text: string | null;
  at: Date;
}

/** The columns of a Progress in the row of its job; null: there is none. */
export interface ProgressColumns {
  percent: number | null;
  progressText: string | null;
  progressAt: Date | null;
}

/** SQL: these columns, of the table `g`. */
export const PROGRESS_COLUMNS = Prisma.sql`g.percent, g.text AS "progressText", g.at AS "progressAt"`;

/** SQL: the progress `g` of the latest attempt of the view `jobs`: none while the job waits for another attempt. */
export const LATEST_PROGRESS = Prisma.sql`LEFT JOIN job_progress g
  ON g.job_key = jobs.key AND g.attempt = jobs.attempt AND jobs.status <> 'pending'`;

export function toProgress({ percent, progressText: text, progressAt: at }: ProgressColumns): Progress | null {
  return percent === null || at === null ? null : { percent, text, at };
}

/** What a handler reported, and the token of its attempt. */
export interface ReportedProgress extends Progress {
  key: JobKey;
  token: string;
}

/**
 * Stores the latest progress of attempts, in place of what these jobs had. An attempt whose job another one has claimed
 * since is passed, as is a job that was deleted or redacted, or that another transaction is changing after its end.
 * Returns the organizations whose streams have something new.
 */
export async function storeProgress(db: DbSession, reported: readonly ReportedProgress[]): Promise<Set<OrgId>> {
  const sorted = [...reported].sort((a, b) => (a.key < b.key ? -1 : 1));
  const keys = sorted.map(({ key }) => key);
  const rows = await retryDeadlocks(
    () => db.$queryRaw<{ orgId: OrgId }[]>`
      WITH n AS MATERIALIZED (
        SELECT * FROM unnest(${keys}::uuid[], ${sorted.map(({ token }) => token)}::uuid[],
            ${sorted.map(({ percent }) => percent)}::float8[], ${sorted.map(({ text }) => text)}::text[],
            ${sorted.map(({ at }) => at.toISOString())}::timestamptz[]) AS n(key, token, percent, text, at)),
      -- The lock keeps a redaction or a deletion from passing between this check and the new row.
      ended AS MATERIALIZED (
        SELECT key, org_id, attempt, claim_token FROM finished_jobs
        WHERE key = ANY(${keys}::uuid[]) AND redacted_at IS NULL ORDER BY key FOR SHARE SKIP LOCKED),
      own AS (
        SELECT key, org_id, attempt, claim_token FROM live_jobs WHERE key = ANY(${keys}::uuid[])
        UNION ALL SELECT * FROM ended)
      INSERT INTO job_progress AS p (job_key, org_id, attempt, percent, text, at)
      SELECT n.key, own.org_id, own.attempt, n.percent, n.text, n.at
      FROM n JOIN own ON own.key = n.key AND own.claim_token = n.token ORDER BY n.key
      ON CONFLICT (job_key) DO UPDATE SET attempt = excluded.attempt, percent = excluded.percent, text = excluded.text,
        at = excluded.at, xid = pg_current_xact_id()
      WHERE p.attempt <= excluded.attempt
      RETURNING p.org_id AS "orgId"`,
  );
  return new Set(rows.map(({ orgId }) => orgId));
}
