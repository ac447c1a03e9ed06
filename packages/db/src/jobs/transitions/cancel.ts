import type { JobStatus, OrgId } from '@jobline/contracts';
import type { DbSession } from '../../postgres/client.js';
import type { Enqueueable, FailedRun, Run } from './repair.js';
import { RUN_MS } from './run-ms.js';

/** The state of a job when its cancel arrived. */
export interface CancelTarget extends Enqueueable {
  type: string;
  /** The status before the cancel: a pending job is failed now, a finished one is unchanged. */
  was: JobStatus;
  /** The token of the latest claim; if the job was processing, that of the run to stop. */
  token: string | null;
}

/**
 * pending → failed with `canceled`, in every stage of a pending job. A processing job is only marked: its worker ends
 * it, and from now on it cannot become pending again. Null: the organization has no such job.
 */
export async function requestCancel(
  db: DbSession,
  orgId: OrgId,
  id: string,
  message: string,
): Promise<CancelTarget | null> {
  const rows = await db.$queryRaw<CancelTarget[]>`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    -- Locked, so that the updates below find the same state: a concurrent claim or record happens before or after.
    f AS MATERIALIZED (
      SELECT key, org_id, type, queue, attempt, claim_token, status::text AS was,
        -- The dispatcher adds a waiting job under its next number.
        CASE place WHEN 'waiting' THEN enqueue_seq + 1 ELSE enqueue_seq END AS seq
      FROM jobs WHERE org_id = ${orgId}::uuid AND id = ${id} FOR UPDATE),
    ended AS (
      UPDATE jobs j SET status = 'failed', cancel_requested_at = t.now, error_code = 'canceled',
        error_message = ${message}, finished_at = t.now, updated_at = t.now,
        -- A manual retry then gets a new entry, while Redis may still have this one.
        enqueue_seq = f.seq
      FROM f, t WHERE j.key = f.key AND f.was = 'pending'),
    marked AS (
      -- CASE is needed: for a row that was claimed meanwhile, Postgres also checks the constraints of its old version.
      UPDATE jobs j SET cancel_requested_at = CASE WHEN j.status = 'processing' THEN t.now END
      FROM f, t WHERE j.key = f.key AND f.was = 'processing'),
    l AS (
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, error_code)
      SELECT f.key, f.org_id, greatest(f.attempt, 1), 'canceled', 'warn', ${message}, t.now, 'failed', 'canceled'
      FROM f, t WHERE f.was = 'pending')
    SELECT key, type, queue, seq, was, claim_token AS token FROM f`;
  return rows[0] ?? null;
}

/** The tokens of a worker's runs whose jobs are marked as canceled. */
export async function listCanceledRuns(db: DbSession, workerId: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ token: string }[]>`
    SELECT claim_token AS token FROM jobs
    WHERE status = 'processing' AND worker_id = ${workerId}::uuid AND cancel_requested_at IS NOT NULL`;
  return rows.map(({ token }) => token);
}

/** Runs of canceled jobs whose workers are no longer registered; one page at most. */
export function listOrphanedCanceledRuns(db: DbSession, limit: number): Promise<Run[]> {
  return db.$queryRaw<Run[]>`
    SELECT key, claim_token AS token FROM jobs j
    WHERE j.status = 'processing' AND j.cancel_requested_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = j.worker_id)
    ORDER BY key LIMIT ${limit}`;
}

/**
 * processing → failed with `canceled`, for orphaned runs of canceled jobs, with a log line that says why. Only while
 * the token holds; returns the jobs that it ended.
 */
export function failCanceledRuns(
  db: DbSession,
  runs: readonly Run[],
  reason: string,
  message: string,
): Promise<FailedRun[]> {
  const sorted = [...runs].sort((a, b) => (a.key < b.key ? -1 : 1));
  return db.$queryRaw<FailedRun[]>`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    r AS (
      UPDATE jobs j SET status = 'failed', worker_id = NULL, claim_token = NULL, error_code = 'canceled',
        error_message = ${message}, finished_at = t.now, updated_at = t.now
      FROM t, unnest(${sorted.map((r) => r.key)}::uuid[], ${sorted.map((r) => r.token)}::uuid[]) AS n(key, token)
      WHERE j.key = n.key AND j.claim_token = n.token AND j.status::text = 'processing'
        AND j.cancel_requested_at IS NOT NULL
      RETURNING j.key, j.org_id, j.type, j.attempt, t.now, ${RUN_MS} AS run_ms),
    l AS (
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, duration_ms, error_code)
      SELECT key, org_id, attempt, 'canceled', 'error', ${reason}, now, 'failed', run_ms, 'canceled' FROM r)
    SELECT key, org_id AS "orgId", type FROM r`;
}
