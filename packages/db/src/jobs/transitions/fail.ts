import type { JobKey, OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import type { DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import { FIRST_ID } from '../../postgres/page.js';
import { KEPT_COLUMNS } from '../columns.js';
import type { Enqueueable } from './insert.js';

/** Columns that a finished job takes over from its live row, unless it gets a new value, in addition to KEPT_COLUMNS. */
const COLUMNS = [
  'key',
  'org_id',
  'id',
  'type',
  'queue',
  'max_retries',
  'retries',
  'attempt',
  'crash_count',
  'run_at',
  'enqueue_seq',
  'claim_token',
  'created_at',
  'started_at',
  'duration_ms',
  'cancel_requested_at',
] as const;

/**
 * SQL: stores the jobs of the CTE `finished` as failed. `finished` deletes their rows from live_jobs and returns all columns
 * of these rows, and the current time as `now`: so a job is in one of the two tables at any time. `values`: what differs
 * from the live row. Triggers: each of these jobs writes its event for webhooks (`prisma/functions/write_job_events.sql`), and the
 * deletion of a held one makes the lanes of its key due (`wake_limit_lanes.sql`).
 */
export function insertFailed(
  code: string,
  message: Prisma.Sql,
  values: Partial<Record<(typeof COLUMNS)[number], Prisma.Sql>> = {},
): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO finished_jobs (status, error_code, error_message, finished_at, ${Prisma.raw(COLUMNS.join())}, ${KEPT_COLUMNS})
    SELECT 'failed', ${code}, ${message}, now, ${Prisma.join(COLUMNS.map((name) => values[name] ?? Prisma.raw(name)))},
      ${KEPT_COLUMNS}
    FROM finished`;
}

/**
 * SQL: how long the run of the job `j` has taken at `t.now`, in milliseconds; at most the highest value of an integer.
 */
export const RUN_MS = Prisma.sql`least(greatest(extract(epoch FROM t.now - j.started_at) * 1000, 0), 2147483647)::int`;

/** A job that has expired, and the entry that it may have in its queue. */
interface ExpiredJob extends Enqueueable {
  orgId: OrgId;
  type: string;
}

/** Expired jobs, and the organization after which the next page begins; null: this was the last page. */
interface ExpiredPage {
  jobs: ExpiredJob[];
  after: OrgId | null;
}

/** How many organizations with jobs that expire one page examines, with one index probe each. */
const MAX_EXPIRING_ORGS = 1_000;

/**
 * pending → failed with `expired`, for jobs whose `expires_at` has passed: the same number for each organization, its oldest
 * first, about `limit` in total. Many expired jobs of one organization do not delay the others. Jobs that another statement has
 * locked are left to a later call. Safe to call in several processes. Triggers: those of `insertFailed`.
 */
export async function failExpired(
  db: DbSession,
  page: { after: OrgId | null; limit: number },
  message: string,
): Promise<ExpiredPage> {
  const rows = await retryDeadlocks(
    () => db.$queryRaw<(ExpiredJob & { orgs: number; last: OrgId | null })[]>`
      WITH RECURSIVE t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
      heads(org_id, expires_at, n) AS (
        (SELECT org_id, expires_at, 1 FROM live_jobs
         WHERE status = 'pending' AND expires_at IS NOT NULL AND org_id > ${page.after ?? FIRST_ID}::uuid
           -- Usually no job of any organization has expired.
           AND (SELECT min(expires_at) FROM live_jobs WHERE status = 'pending' AND expires_at IS NOT NULL) <= (SELECT now FROM t)
         ORDER BY org_id, expires_at, key LIMIT 1)
        UNION ALL
        (SELECT j.org_id, j.expires_at, h.n + 1 FROM heads h, LATERAL (
          SELECT org_id, expires_at FROM live_jobs
          WHERE status = 'pending' AND expires_at IS NOT NULL AND org_id > h.org_id
          ORDER BY org_id, expires_at, key LIMIT 1) AS j
         WHERE h.n < ${MAX_EXPIRING_ORGS}::int)),
      orgs AS MATERIALIZED (SELECT org_id, count(*) OVER () AS orgs FROM heads, t WHERE expires_at <= t.now),
      due AS MATERIALIZED (
        SELECT d.key FROM orgs, LATERAL (
          SELECT key FROM live_jobs
          WHERE status = 'pending' AND expires_at IS NOT NULL AND org_id = orgs.org_id AND expires_at <= (SELECT now FROM t)
          ORDER BY org_id, expires_at, key LIMIT ceil(${page.limit}::float8 / orgs.orgs)::bigint FOR UPDATE SKIP LOCKED) AS d),
      finished AS (
        DELETE FROM live_jobs j USING t WHERE j.key = ANY (ARRAY(SELECT key FROM due))
        -- The dispatcher adds a waiting job under its next number.
        RETURNING j.*, t.now, j.enqueue_seq + (j.place = 'waiting')::int AS seq),
      f AS (${insertFailed('expired', Prisma.sql`${message}`, { enqueue_seq: Prisma.sql`seq` })}),
      l AS (
        INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, error_code)
        SELECT key, org_id, greatest(attempt, 1), 'expired', 'warn', ${message}, now, 'failed', 'expired' FROM finished)
      SELECT f.key, f.queue, f.seq, f.org_id AS "orgId", f.type, h.orgs, h.last
      FROM (SELECT count(*)::int AS orgs, max(org_id::text) AS last FROM heads) AS h LEFT JOIN finished f ON true`,
  );
  const { orgs = 0, last = null } = rows[0] ?? {};
  return { jobs: rows.filter(({ key }) => key !== null), after: orgs === MAX_EXPIRING_ORGS ? last : null };
}

/**
 * pending → failed with `no_handler`, as attempt 1 with the warning as its only line. Uses no retry. Only while the job
 * is still pending; returns the jobs that it failed. Triggers: those of `insertFailed`.
 */
export async function failUnhandled(
  db: DbSession,
  jobs: readonly { key: JobKey; message: string }[],
): Promise<{ key: JobKey; orgId: OrgId }[]> {
  const sorted = [...jobs].sort((a, b) => (a.key < b.key ? -1 : 1));
  return retryDeadlocks(
    () => db.$queryRaw<{ key: JobKey; orgId: OrgId }[]>`
      WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
      finished AS (
        DELETE FROM live_jobs j
        USING t, unnest(${sorted.map((j) => j.key)}::uuid[], ${sorted.map((j) => j.message)}::text[]) AS n(key, message)
        WHERE j.key = n.key AND j.status::text = 'pending'
        RETURNING j.*, n.message, t.now),
      f AS (${insertFailed('no_handler', Prisma.sql`message`, {
        attempt: Prisma.sql`attempt + 1`,
        // The number of the entry that delivered it: a manual retry gets a new number.
        enqueue_seq: Prisma.sql`enqueue_seq + (place = 'waiting')::int`,
        started_at: Prisma.sql`now`,
        duration_ms: Prisma.sql`0`,
      })}),
      l AS (
        INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, duration_ms, error_code)
        SELECT key, org_id, attempt + 1, 'failed', 'warn', message, now, 'failed', 0, 'no_handler' FROM finished)
      SELECT key, org_id AS "orgId" FROM finished`,
  );
}
