import type { JobKey, JobStatus, OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import type { DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import { insertFailed, RUN_MS } from './fail.js';
import type { Enqueueable } from './insert.js';
import type { FailedRun, Run } from './repair.js';

/** The state of a job when its cancel arrived. */
export interface CancelTarget extends Enqueueable {
  type: string;
  /** The status before the cancel: a pending job is failed now, a finished one is unchanged. */
  was: JobStatus;
  /** The token of the latest claim; if the job was processing, that of the run to stop. */
  token: string | null;
}

/** How many times a job can be moved between live and finished while a cancel looks for it. */
const MAX_MOVES = 10;

/**
 * pending → failed with `canceled`, in every stage of a pending job. A processing job is only marked: its worker ends
 * it, and from now on it cannot become pending again. Null: the organization has no such job. Triggers for a job that fails:
 * those of `insertFailed`.
 */
export async function requestCancel(
  db: DbSession,
  orgId: OrgId,
  id: string,
  message: string,
): Promise<CancelTarget | null> {
  const which = Prisma.sql`org_id = ${orgId}::uuid AND id = ${id}`;
  return (await cancelEach(db, which, message))[0] ?? null;
}

/**
 * Like requestCancel, for several jobs. Those that do not exist any more are left out. `isQuiet`: no webhook gets the ends of the jobs
 * that are canceled.
 */
export function requestCancels(
  db: DbSession,
  keys: readonly JobKey[],
  message: string,
  isQuiet: boolean,
): Promise<CancelTarget[]> {
  return cancelEach(db, Prisma.sql`key = ANY (${keys}::uuid[])`, message, isQuiet);
}

async function cancelEach(db: DbSession, which: Prisma.Sql, message: string, isQuiet = false): Promise<CancelTarget[]> {
  const done: CancelTarget[] = [];
  let wanted = which;
  for (let n = 0; n < MAX_MOVES; n++) {
    const targets = await cancelOnce(db, wanted, message, isQuiet);
    for (const target of targets) if (target.was !== null) done.push({ ...target, was: target.was });
    // The job was moved to the other table while the statement waited for its lock.
    const moved = targets.filter(({ was }) => was === null).map(({ key }) => key);
    if (moved.length === 0) return done;
    wanted = Prisma.sql`key = ANY (${moved}::uuid[])`;
  }
  throw new Error('a job was moved each time that a cancel looked for it');
}

type FoundTarget = Omit<CancelTarget, 'was'> & { was: JobStatus | null };

/** `which`: the condition on the rows of submitted_jobs. */
function cancelOnce(db: DbSession, which: Prisma.Sql, message: string, isQuiet: boolean): Promise<FoundTarget[]> {
  return db.$queryRaw<FoundTarget[]>`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    s AS MATERIALIZED (SELECT key, type FROM submitted_jobs WHERE ${which}),
    -- Locked, so that the changes below find the same state: a concurrent claim or record happens before or after.
    live AS MATERIALIZED (
      SELECT key, queue, claim_token, status::text AS was,
        -- The dispatcher adds a waiting job under its next number.
        CASE place WHEN 'waiting' THEN enqueue_seq + 1 ELSE enqueue_seq END AS seq
      FROM live_jobs WHERE key = ANY (ARRAY(SELECT key FROM s)) ORDER BY key FOR UPDATE),
    finished AS (
      DELETE FROM live_jobs j USING live, t WHERE j.key = live.key AND live.was = 'pending'
      RETURNING j.*, t.now, live.seq),
    f AS (${insertFailed('canceled', Prisma.sql`${message}`, {
      cancel_requested_at: Prisma.sql`now`,
      // A manual retry then gets a new entry, while Redis may still have this one.
      enqueue_seq: Prisma.sql`seq`,
      is_quiet: Prisma.sql`is_quiet OR ${isQuiet}::bool`,
    })}),
    marked AS (
      -- CASE is needed: for a row that was claimed meanwhile, Postgres also checks the constraints of its old version.
      UPDATE live_jobs j SET cancel_requested_at = CASE WHEN j.status = 'processing' THEN t.now END,
        is_quiet = j.is_quiet OR ${isQuiet}::bool
      FROM live, t WHERE j.key = live.key AND live.was = 'processing'),
    l AS (
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, error_code)
      SELECT key, org_id, greatest(attempt, 1), 'canceled', 'warn', ${message}, now, 'failed', 'canceled' FROM finished)
    SELECT s.key, s.type, coalesce(live.queue, f.queue) AS queue, coalesce(live.seq, f.enqueue_seq) AS seq,
      coalesce(live.was, f.status::text) AS was, coalesce(live.claim_token, f.claim_token) AS token
    FROM s LEFT JOIN live ON live.key = s.key LEFT JOIN finished_jobs f ON f.key = s.key`;
}

/** Runs of canceled jobs whose workers are no longer registered; one page at most. */
export function listOrphanedCanceledRuns(db: DbSession, limit: number): Promise<Run[]> {
  return db.$queryRaw<Run[]>`
    SELECT key, claim_token AS token FROM live_jobs j
    WHERE j.status = 'processing' AND j.cancel_requested_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = j.worker_id)
    ORDER BY key LIMIT ${limit}`;
}

/**
 * processing → failed with `canceled`, for orphaned runs of canceled jobs, with a log line that says why. Only while
 * the token holds; returns the failed jobs. Triggers: those of `insertFailed`.
 */
export function failCanceledRuns(
  db: DbSession,
  runs: readonly Run[],
  reason: string,
  message: string,
): Promise<FailedRun[]> {
  const sorted = [...runs].sort((a, b) => (a.key < b.key ? -1 : 1));
  const keys = sorted.map(({ key }) => key);
  return retryDeadlocks(
    () => db.$queryRaw<FailedRun[]>`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    finished AS (
      DELETE FROM live_jobs j
      USING t, unnest(${keys}::uuid[], ${sorted.map((r) => r.token)}::uuid[]) AS n(key, token)
      WHERE j.key = ANY(${keys}::uuid[]) AND j.key = n.key AND j.claim_token = n.token AND j.status::text = 'processing'
        AND j.cancel_requested_at IS NOT NULL
      RETURNING j.*, t.now, ${RUN_MS} AS run_ms),
    f AS (${insertFailed('canceled', Prisma.sql`${message}`, { claim_token: Prisma.sql`NULL::uuid` })}),
    l AS (
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status, duration_ms, error_code)
      SELECT key, org_id, attempt, 'canceled', 'error', ${reason}, now, 'failed', run_ms, 'canceled' FROM finished)
    SELECT key, org_id AS "orgId", type FROM finished`,
  );
}
