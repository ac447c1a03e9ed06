import type { JobKey, JobStatus, OrgId } from '@jobline/contracts';
import type { DbSession } from '../../postgres/client.js';
import type { PendingStage } from './insert.js';
import type { Enqueueable } from './repair.js';

/** The job that an id means, and the queue in which it would wait. */
export interface RetryTarget {
  key: JobKey;
  type: string;
  queue: string;
  status: JobStatus;
}

export async function findRetryTarget(db: DbSession, orgId: OrgId, id: string): Promise<RetryTarget | null> {
  const rows = await db.$queryRaw<RetryTarget[]>`
    SELECT key, type, queue, status FROM jobs WHERE org_id = ${orgId}::uuid AND id = ${id}`;
  return rows[0] ?? null;
}

/**
 * failed → pending, as a new job except for the numbers of its attempts: retries and crashes are counted from zero, and
 * the results so far stay only in its log, which records the retry. Enqueued if its queue has capacity, else waiting.
 * Null: the job is not failed (any more).
 */
export async function retryFailed(
  db: DbSession,
  key: JobKey,
  hasCapacity: boolean,
  message: string,
): Promise<(Enqueueable & { stage: PendingStage }) | null> {
  const stage: PendingStage = hasCapacity ? 'enqueued' : 'waiting';
  const rows = await db.$queryRaw<(Enqueueable & { stage: PendingStage })[]>`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    r AS (
      UPDATE jobs j SET status = 'pending', retries = 0, crash_count = 0, result = NULL, error_code = NULL,
        error_message = NULL, finished_at = NULL, cancel_requested_at = NULL, worker_id = NULL, run_at = t.now,
        place = ${stage}::job_place, enqueue_seq = j.enqueue_seq + ${hasCapacity}::bool::int,
        enqueued_at = CASE WHEN ${hasCapacity}::bool THEN t.now END, updated_at = t.now
      FROM t WHERE j.key = ${key}::uuid AND j.status::text = 'failed'
      RETURNING j.key, j.org_id, j.queue, j.enqueue_seq AS seq, j.place, j.attempt, t.now),
    l AS (
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status)
      SELECT key, org_id, greatest(attempt, 1), 'note', 'info', ${message}, now, 'pending' FROM r)
    SELECT key, queue, seq, place AS stage FROM r`;
  return rows[0] ?? null;
}
