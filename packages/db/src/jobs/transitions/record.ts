import type { JobKey, LogKind, LogLevel, OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import { type HoldSign, updateHolds } from '../../limits/holds.js';
import type { DbSession } from '../../postgres/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import type { HotDb } from '../../postgres/hot.js';
import { KEPT_COLUMNS, KEPT_COLUMNS_OF_J } from '../columns.js';
import { countFailedAttempts } from '../failed-attempts.js';
import type { PendingStage } from './insert.js';

/** An entry of one attempt's log. */
export interface LogLine {
  kind: LogKind;
  level: LogLevel;
  /** Null: the kind says everything. */
  message: string | null;
  at: Date;
}

/** The end of an attempt, written by the holder of its token. */
export interface AttemptResult {
  key: JobKey;
  token: string;
  /** `pending`: the job runs again after `delayMs`. */
  status: 'done' | 'failed' | 'pending';
  /** Whether the re-run uses a retry. If so, the attempt ended by itself, and lowers the crash count by one. */
  countsRetry: boolean;
  delayMs: number;
  /** The stage in which the job waits for its re-run. */
  stage: PendingStage;
  /** JSON text; null unless done. */
  result: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  /** Stored with the last of `lines`. */
  errorStack?: string | null;
  durationMs: number;
  /** What its end means for limits that hold themselves. Absent or null: nothing, or the job was under no limit. */
  holdSign?: HoldSign | null;
  /** Lines of the attempt that are not written yet. With the last one the job gets its new status. */
  lines: readonly LogLine[];
}

/**
 * processing → done, failed or pending, with the attempt's remaining log lines, for those endings whose token still
 * holds the job. A job that is enqueued again gets the next `enqueue_seq` after that of its claim. A job under a limit waits
 * in Postgres, whatever its stage says; an entry that is added for it anyway is harmless. Returns the tokens whose
 * attempt is now recorded, and whether other jobs may wait for one of the jobs; a repetition after a lost response finds its own record. A token that is missing has lost the job
 * to a later run, or wanted a re-run of a canceled job; then nothing was written.
 * Limits that hold themselves count the attempts.
 * Triggers: a job that is done or failed writes its event for webhooks (`write_job_events.sql`), and a job that is held again its
 * lane (`wake_limit_lanes.sql`).
 */
export async function recordResults(
  hot: HotDb,
  results: readonly AttemptResult[],
): Promise<{ recorded: Set<string>; isAwaited: boolean }> {
  const sorted = [...results].sort((a, b) => (a.key < b.key ? -1 : 1));
  const column = <K extends keyof AttemptResult>(name: K) => sorted.map((result) => result[name]);
  const again = sorted.filter(({ status }) => status === 'pending');
  const finished = sorted.filter(({ status }) => status !== 'pending');
  const keysOf = (some: readonly AttemptResult[]) => some.map(({ key }) => key);
  const last = sorted.map(({ lines }) => lines.at(-1));
  const rows = await retryDeadlocks(
    () => hot.query<{ token: string; isAwaited: boolean }>`
      WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
      e AS MATERIALIZED (
        SELECT * FROM unnest(${keysOf(sorted)}::uuid[], ${column('token')}::uuid[], ${column('status')}::job_status[],
            ${column('countsRetry')}::bool[], ${column('delayMs')}::float8[], ${column('stage')}::job_place[],
            ${column('result')}::text[],
            ${column('errorCode')}::text[], ${column('errorMessage')}::text[], ${sorted.map(({ errorStack }) => errorStack ?? null)}::text[],
            ${column('durationMs')}::int[],
            ${sorted.map(({ lines }) => earlierLines(lines))}::text[], ${last.map((line) => line?.kind ?? null)}::log_kind[],
            ${last.map((line) => line?.level ?? null)}::log_level[],
            ${last.map((line) => line?.message ?? null)}::text[], ${last.map((line) => line?.at.toISOString() ?? null)}::timestamptz[])
          AS e(key, token, status, counts_retry, delay_ms, place, result, error_code, error_message, stack, duration_ms,
            earlier, kind, level, message, at)),
      finished AS (
        DELETE FROM live_jobs j USING e
        WHERE j.key = ANY(${keysOf(finished)}::uuid[]) AND j.key = e.key AND j.claim_token = e.token
          AND j.status::text = 'processing' AND e.status <> 'pending'
        RETURNING e.token, j.key, j.org_id, j.id, j.type, j.queue, j.max_retries, j.retries + e.counts_retry::int AS retries,
          j.attempt, greatest(j.crash_count - e.counts_retry::int, 0) AS crash_count, j.run_at, j.enqueue_seq, j.created_at,
          j.started_at, j.cancel_requested_at, j.is_quiet, ${KEPT_COLUMNS_OF_J}, e.status, e.result, e.error_code,
          e.error_message, e.stack, e.duration_ms, e.earlier, e.kind, e.level, e.message, e.at, j.is_awaited, j.limit_name),
      f AS (
        INSERT INTO finished_jobs (key, org_id, id, type, queue, status, max_retries, retries, attempt, crash_count, run_at,
          enqueue_seq, claim_token, result, error_code, error_message, created_at, started_at, duration_ms, finished_at,
          cancel_requested_at, is_quiet, ${KEPT_COLUMNS})
        SELECT key, org_id, id, type, queue, status, max_retries, retries, attempt, crash_count, run_at, enqueue_seq, token,
          result::json, error_code, error_message, created_at, started_at, duration_ms, t.now, cancel_requested_at,
          is_quiet, ${KEPT_COLUMNS}
        FROM finished, t),
      again AS (
        UPDATE live_jobs j SET status = 'pending', retries = j.retries + e.counts_retry::int, worker_id = NULL,
          crash_count = greatest(j.crash_count - e.counts_retry::int, 0), run_at = t.now + e.delay_ms * interval '1 ms',
          place = CASE
            WHEN under_limit(j.org_id, j.limit_name, j.type) THEN CASE
                WHEN e.delay_ms > 0 AND NOT under_ordered_limit(j.org_id, j.limit_name, j.type) THEN 'scheduled'
                ELSE 'held' END::job_place
            ELSE e.place END,
          enqueue_seq = j.enqueue_seq + (e.place = 'enqueued')::int,
          enqueued_at = CASE e.place WHEN 'enqueued' THEN t.now ELSE j.enqueued_at END,
          error_code = e.error_code, error_message = e.error_message, duration_ms = e.duration_ms, updated_at = t.now
        FROM e, t
        WHERE j.key = ANY(${keysOf(again)}::uuid[]) AND j.key = e.key AND j.claim_token = e.token
          AND j.status::text = 'processing' AND e.status = 'pending' AND j.cancel_requested_at IS NULL
        RETURNING e.token, j.key, j.org_id, j.attempt, e.status, e.earlier, e.kind, e.level, e.message, e.stack, e.at, e.duration_ms,
          e.error_code, j.run_at AS next_attempt_at, j.type, j.limit_name, j.started_at),
      r AS (
        SELECT token, key, org_id, attempt, status, earlier, kind, level, message, stack, at, duration_ms, error_code,
          NULL::timestamptz AS next_attempt_at, type, limit_name, started_at, is_awaited
        FROM finished
        UNION ALL SELECT *, false FROM again),
      n AS (${countFailedAttempts(Prisma.sql`r WHERE kind = 'failed'`)}),
      ${updateHolds(results)}
      l AS (
        INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, stack, at, status, duration_ms, error_code, next_attempt_at)
        SELECT r.key, r.org_id, r.attempt, n.kind, n.level, n.message, NULL, n.at, NULL, NULL, NULL, NULL
        FROM r, LATERAL json_to_recordset(r.earlier::json) AS n(kind log_kind, level log_level, message text, at timestamptz)
        -- After all earlier lines: rows get their ids in the order in which they are inserted.
        UNION ALL SELECT key, org_id, attempt, kind, level, message, stack, at, status, duration_ms, error_code, next_attempt_at
          FROM r WHERE at IS NOT NULL)
      SELECT token, is_awaited AS "isAwaited" FROM r
      UNION ALL
      SELECT e.token, false FROM e LEFT JOIN r ON r.token = e.token, LATERAL (
        (SELECT 1 FROM live_jobs WHERE key = CASE WHEN r.token IS NULL THEN e.key END AND claim_token = e.token
          AND status::text <> 'processing' OFFSET 0)
        UNION ALL
        (SELECT 1 FROM finished_jobs WHERE key = CASE WHEN r.token IS NULL THEN e.key END AND claim_token = e.token
          OFFSET 0)) AS j`,
  );
  return { recorded: new Set(rows.map(({ token }) => token)), isAwaited: rows.some(({ isAwaited }) => isAwaited) };
}

/**
 * All lines but the last, as JSON: most attempts have no earlier line, and a join would make every attempt pay for the
 * few that have.
 */
function earlierLines(lines: readonly LogLine[]): string | null {
  return lines.length > 1 ? JSON.stringify(lines.slice(0, -1)) : null;
}

/** A line of an attempt that is still running. */
export interface RunningLine extends LogLine {
  key: JobKey;
  token: string;
  /**
   * The number of the line in its attempt, from 1, if an earlier statement may have written it: it is skipped if that
   * many lines are stored. Null: no earlier statement has written it.
   */
  nth: number | null;
}

/**
 * Writes lines of running attempts, in order; lines whose token no longer holds the job are dropped. It locks the jobs'
 * rows meanwhile, as every other writer of lines does: so a job's lines become visible in the order of their ids, and a
 * reader that continues after the last one skips none. It does not wait for rows: it returns the tokens of the jobs
 * whose rows another transaction has locked, and writes none of their lines.
 */
export async function appendLines(db: DbSession, lines: readonly RunningLine[]): Promise<Set<string>> {
  const keys = lines.map(({ key }) => key);
  const rows = await db.$queryRaw<{ token: string }[]>`
    WITH n AS MATERIALIZED (
      SELECT * FROM unnest(${keys}::uuid[], ${lines.map((l) => l.token)}::uuid[],
          ${lines.map((l) => l.kind)}::log_kind[], ${lines.map((l) => l.level)}::log_level[],
          ${lines.map((l) => l.message)}::text[], ${lines.map((l) => l.at.toISOString())}::timestamptz[],
          ${lines.map((l) => l.nth)}::int[])
        WITH ORDINALITY AS n(key, token, kind, level, message, at, nth, line)),
    running AS MATERIALIZED (
      SELECT j.key, j.claim_token FROM live_jobs j
      WHERE j.key = ANY(${keys}::uuid[]) AND (j.key, j.claim_token) IN (SELECT key, token FROM n) AND j.status::text = 'processing'),
    held AS MATERIALIZED (
      SELECT j.key, j.org_id, j.attempt, j.claim_token FROM live_jobs j
      WHERE j.key = ANY(${keys}::uuid[]) AND (j.key, j.claim_token) IN (SELECT key, token FROM n) AND j.status::text = 'processing'
      ORDER BY j.key FOR NO KEY UPDATE OF j SKIP LOCKED),
    -- All other lines of an attempt that runs have a status.
    known AS MATERIALIZED (
      SELECT held.*, (SELECT count(*) FROM job_logs l
        WHERE l.job_key = held.key AND l.attempt = held.attempt AND l.status IS NULL
          AND held.claim_token IN (SELECT token FROM n WHERE nth IS NOT NULL)) AS lines
      FROM held),
    w AS (
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at)
      SELECT j.key, j.org_id, j.attempt, n.kind, n.level, n.message, n.at
      FROM n JOIN known j ON j.key = n.key AND j.claim_token = n.token
      WHERE n.nth IS NULL OR n.nth > j.lines ORDER BY n.line)
    SELECT claim_token AS token FROM running WHERE claim_token NOT IN (SELECT claim_token FROM held)`;
  return new Set(rows.map(({ token }) => token));
}

/** What became known about a job after it finished. */
export interface Amendment {
  key: JobKey;
  /** JSON text; replaces the previous result. */
  result: string;
  level: LogLevel;
  message: string;
}

/**
 * Replaces a finished job's result and writes a line to its log; its status stays. `same`: the job has that result
 * already. `open`: the job is not finished, and its own end would overwrite the result. `gone`: there is no such job.
 */
export async function amendResult(
  db: DbSession,
  orgId: OrgId,
  { key, result, level, message }: Amendment,
): Promise<'amended' | 'same' | 'open' | 'gone'> {
  const rows = await db.$queryRaw<{ outcome: 'amended' | 'same' | 'open' }[]>`
    WITH f AS MATERIALIZED (
      SELECT key, result::text IS DISTINCT FROM ${result} AS is_new
      FROM finished_jobs WHERE key = ${key}::uuid AND org_id = ${orgId}::uuid FOR UPDATE),
    a AS (
      UPDATE finished_jobs j SET result = ${result}::json FROM f WHERE j.key = f.key AND f.is_new
      RETURNING j.key, j.org_id, j.attempt),
    l AS (
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at)
      SELECT key, org_id, greatest(attempt, 1), 'note', ${level}::log_level, ${message}, date_trunc('milliseconds', clock_timestamp())
      FROM a)
    SELECT CASE WHEN f.is_new THEN 'amended' WHEN NOT f.is_new THEN 'same' ELSE 'open' END AS outcome
    FROM submitted_jobs s LEFT JOIN f ON f.key = s.key WHERE s.key = ${key}::uuid AND s.org_id = ${orgId}::uuid`;
  return rows[0]?.outcome ?? 'gone';
}
