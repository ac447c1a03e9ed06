import type { JobKey, OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import type { DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import type { HotDb } from '../../postgres/hot.js';
import { FIRST_ID } from '../../postgres/page.js';
import { countFailedAttempts } from '../failed-attempts.js';
import { insertFailed, RUN_MS } from './fail.js';
import { UNDER_LIMIT } from './held.js';
import type { Enqueueable } from './insert.js';

/**
 * SQL: the stage of a job that gets an entry now. The entry of a held job is harmless: its claim checks the limits. Trigger: a job
 * that becomes held writes its lane (`wake_limit_lanes.sql`).
 */
const HELD_OR_ENQUEUED = Prisma.sql`(CASE WHEN ${UNDER_LIMIT} THEN 'held' ELSE 'enqueued' END)::job_place`;

/** A job that was enqueued. */
export interface EnqueuedJob extends Enqueueable {
  /** The job has been due and sent to Redis for `overdueMs`. */
  isOverdue: boolean;
}

/** A job that returns to its queue. */
export interface Requeueable extends Enqueueable {
  orgId: OrgId;
}

/**
 * The next page, by key, of pending jobs that are due and were sent to Redis at least `settledMs` ago; the caller
 * compares them with Redis. `after` is the last key of the previous page.
 */
export function listEnqueued(
  db: DbSession,
  page: { after: JobKey | null; limit: number; settledMs: number; overdueMs: number },
): Promise<EnqueuedJob[]> {
  return db.$queryRaw<EnqueuedJob[]>`
    SELECT key, queue, enqueue_seq AS seq,
      greatest(run_at, enqueued_at) <= now() - ${page.overdueMs} * interval '1 ms' AS "isOverdue"
    FROM live_jobs
    WHERE status = 'pending' AND place = 'enqueued' AND key > ${page.after ?? FIRST_ID}::uuid
      AND run_at <= now() AND enqueued_at <= now() - ${page.settledMs} * interval '1 ms'
    ORDER BY key LIMIT ${page.limit}`;
}

/**
 * Gives enqueued jobs their next `enqueue_seq`, unless they were enqueued again or are held meanwhile. Returns the
 * entries to add.
 */
export function renewEnqueued(db: DbSession, jobs: readonly Enqueueable[]): Promise<Requeueable[]> {
  const keys = jobs.map(({ key }) => key);
  return retryDeadlocks(
    () => db.$queryRaw<Requeueable[]>`
    UPDATE live_jobs j SET enqueue_seq = j.enqueue_seq + 1, enqueued_at = date_trunc('milliseconds', now())
    FROM unnest(${keys}::uuid[], ${jobs.map((j) => j.seq)}::int[]) AS n(key, seq)
    WHERE j.key = ANY(${keys}::uuid[]) AND j.key = n.key AND j.enqueue_seq = n.seq AND j.status::text = 'pending'
      AND j.place = 'enqueued'
    RETURNING j.key, j.queue, j.enqueue_seq AS seq, j.org_id AS "orgId"`,
  );
}

/**
 * Moves a pending job to another queue. Returns the entry to add there, or nothing if the job is there already or no
 * longer pending.
 */
export function moveToQueue(db: DbSession, key: JobKey, queue: string): Promise<Enqueueable[]> {
  return db.$queryRaw<Enqueueable[]>`
    UPDATE live_jobs j SET queue = ${queue}, place = ${HELD_OR_ENQUEUED}, enqueue_seq = enqueue_seq + 1,
      enqueued_at = date_trunc('milliseconds', now())
    WHERE key = ${key}::uuid AND status::text = 'pending' AND queue <> ${queue}
    RETURNING key, queue, enqueue_seq AS seq`;
}

/**
 * A job that has crashed this many workers fails. It ran in an isolated process the last three times, so another job
 * can hardly be the cause, and it must not go on to crash workers without end.
 */
export const FAIL_AFTER_CRASHES = 5;

/**
 * processing → pending for the orphaned runs of workers that are no longer registered: the job uses no retry, and its
 * log says what happened. Canceled jobs are left to failCanceledRuns, and jobs with too many crashes to failOrphaned. One
 * page at most; returns the entries to add to the queues.
 */
export function takeOverOrphaned(db: DbSession, limit: number): Promise<Requeueable[]> {
  return db.$queryRaw<Requeueable[]>`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    lost AS (
      SELECT key FROM live_jobs j
      WHERE j.status = 'processing' AND j.cancel_requested_at IS NULL AND j.crash_count + 1 < ${FAIL_AFTER_CRASHES}
        AND NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = j.worker_id)
      LIMIT ${limit} FOR UPDATE OF j SKIP LOCKED),
    r AS (
      UPDATE live_jobs j SET status = 'pending', crash_count = j.crash_count + 1, worker_id = NULL, claim_token = NULL,
        place = ${HELD_OR_ENQUEUED}, enqueue_seq = j.enqueue_seq + 1, enqueued_at = t.now, updated_at = t.now
      FROM t WHERE j.key = ANY (ARRAY(SELECT key FROM lost))
      RETURNING j.key, j.queue, j.enqueue_seq AS seq, j.org_id, j.type, j.attempt, t.now, ${RUN_MS} AS run_ms),
    n AS (${countFailedAttempts(Prisma.sql`r`)}),
    l AS (
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, at, status, duration_ms)
      SELECT key, org_id, attempt, 'worker_lost', 'warn', now, 'pending', run_ms FROM r)
    SELECT key, queue, seq, org_id AS "orgId" FROM r`;
}

/** A job that failed together with an orphaned run. */
export interface FailedRun {
  key: JobKey;
  orgId: OrgId;
  type: string;
}

/**
 * processing → failed with `worker_lost` for the orphaned runs of jobs that have crashed too many workers. One page at
 * most; returns the failed jobs. Triggers: those of `insertFailed`.
 */
export function failOrphaned(db: DbSession, limit: number, message: string): Promise<FailedRun[]> {
  return db.$queryRaw<FailedRun[]>`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    lost AS (
      SELECT key FROM live_jobs j
      WHERE j.status = 'processing' AND j.cancel_requested_at IS NULL AND j.crash_count + 1 >= ${FAIL_AFTER_CRASHES}
        AND NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = j.worker_id)
      LIMIT ${limit} FOR UPDATE OF j SKIP LOCKED),
    finished AS (
      DELETE FROM live_jobs j USING t WHERE j.key = ANY (ARRAY(SELECT key FROM lost))
      RETURNING j.*, t.now, ${RUN_MS} AS run_ms),
    f AS (${insertFailed('worker_lost', Prisma.sql`${message}`, {
      crash_count: Prisma.sql`crash_count + 1`,
      claim_token: Prisma.sql`NULL::uuid`,
    })}),
    n AS (${countFailedAttempts(Prisma.sql`finished`)}),
    l AS (
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, duration_ms, error_code)
      SELECT key, org_id, attempt, 'worker_lost', 'error', ${message}, now, 'failed', run_ms, 'worker_lost' FROM finished)
    SELECT key, org_id AS "orgId", type FROM finished`;
}

/** A run that a worker has, or had. */
export interface Run {
  key: JobKey;
  token: string;
}

/** The runs that a worker has according to Postgres, those of canceled jobs first; one page at most. */
export function listRuns(hot: HotDb, workerId: string, limit: number): Promise<(Run & { isCanceled: boolean })[]> {
  return hot.query<Run & { isCanceled: boolean }>`
    SELECT key, claim_token AS token, cancel_requested_at IS NOT NULL AS "isCanceled" FROM live_jobs
    WHERE status = 'processing' AND worker_id = ${workerId}::uuid
    ORDER BY cancel_requested_at IS NULL, key LIMIT ${limit}`;
}

/**
 * processing → pending for runs that their worker releases, with a log line that says why. The release uses no retry and
 * does not change the crash count. A job is not released if another run has claimed it, or if it is canceled. Returns the
 * released jobs with a new `seq`; the caller enqueues them.
 */
export function releaseRuns(db: DbSession, runs: readonly Run[], reason: string): Promise<Requeueable[]> {
  const sorted = [...runs].sort((a, b) => (a.key < b.key ? -1 : 1));
  const keys = sorted.map(({ key }) => key);
  return retryDeadlocks(
    () => db.$queryRaw<Requeueable[]>`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    r AS (
      UPDATE live_jobs j SET status = 'pending', worker_id = NULL, claim_token = NULL,
        place = ${HELD_OR_ENQUEUED}, enqueue_seq = j.enqueue_seq + 1, enqueued_at = t.now, updated_at = t.now
      FROM t, unnest(${keys}::uuid[], ${sorted.map((r) => r.token)}::uuid[]) AS n(key, token)
      WHERE j.key = ANY(${keys}::uuid[]) AND j.key = n.key AND j.claim_token = n.token AND j.status::text = 'processing'
        AND j.cancel_requested_at IS NULL
      RETURNING j.key, j.queue, j.enqueue_seq AS seq, j.org_id, j.attempt, t.now, ${RUN_MS} AS run_ms),
    l AS (
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, duration_ms)
      SELECT key, org_id, attempt, 'released', 'info', ${reason}, now, 'pending', run_ms FROM r)
    SELECT key, queue, seq, org_id AS "orgId" FROM r`,
  );
}
