import type { JobKey, OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import type { DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
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
export interface ExpiredJob extends Enqueueable {
  orgId: OrgId;
  type: string;
}

/**
 * pending → failed with `expired`, for at most `limit` jobs whose `expires_at` has passed, the oldest first. Jobs that
 * another statement has locked are left to the next call. Safe to call in several processes. Triggers: those of `insertFailed`.
 */
export function failExpired(db: DbSession, limit: number, message: string): Promise<ExpiredJob[]> {
  return retryDeadlocks(
    () => db.$queryRaw<ExpiredJob[]>`
      WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
      due AS MATERIALIZED (
        SELECT key FROM live_jobs
        WHERE status = 'pending' AND expires_at <= (SELECT now FROM t)
        ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED),
      finished AS (
        DELETE FROM live_jobs j USING t WHERE j.key = ANY (ARRAY(SELECT key FROM due))
        -- The dispatcher adds a waiting job under its next number.
        RETURNING j.*, t.now, j.enqueue_seq + (j.place = 'waiting')::int AS seq),
      f AS (${insertFailed('expired', Prisma.sql`${message}`, { enqueue_seq: Prisma.sql`seq` })}),
      l AS (
        INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, error_code)
        SELECT key, org_id, greatest(attempt, 1), 'expired', 'warn', ${message}, now, 'failed', 'expired' FROM finished)
      SELECT key, queue, seq, org_id AS "orgId", type FROM finished`,
  );
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
