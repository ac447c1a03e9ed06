import type { JobErrorCode, JobKey, JobStatus, OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import type { DbSession } from '../../postgres/client.js';
import { KEPT_COLUMNS, type SourceRef } from '../columns.js';
import { isBlocked, obstaclesOf } from './conditions.js';
import { UNDER_LIMIT } from './held.js';
import type { Enqueueable, PendingStage } from './insert.js';

/** The job that an id means, and the queue in which it would wait. */
export interface RetryTarget {
  key: JobKey;
  type: string;
  queue: string;
  status: JobStatus;
  /** Whether no attempt may start any more. */
  isExpired: boolean;
  /** Whether values of its payload are redacted: no handler may get such a payload. */
  isRedacted: boolean;
  /** The job because of which it cannot start again: it must be retried first, or it is gone. Null: there is none. */
  obstacle: { id: string; isGone: boolean } | null;
  /** What its payload takes bytes from and does not exist any more. */
  goneSources: readonly SourceRef[];
}

export async function findRetryTarget(db: DbSession, orgId: OrgId, id: string): Promise<RetryTarget | null> {
  const rows = await db.$queryRaw<RetryTarget[]>`
    SELECT key, type, queue, status, coalesce(expires_at <= clock_timestamp(), false) AS "isExpired",
      redacted_at IS NOT NULL OR redacted_keys(org_id, key) IS NOT NULL AS "isRedacted",
      (SELECT json_build_object('id', o.after_id, 'isGone', o.is_gone) FROM (${obstaclesOf(Prisma.sql`key`)} LIMIT 1) AS o) AS obstacle,
      coalesce((SELECT gone_sources(f.org_id, f.sources) FROM finished_jobs f WHERE f.key = jobs.key), '{}') AS "goneSources"
    FROM jobs WHERE org_id = ${orgId}::uuid AND id = ${id}`;
  return rows[0] ?? null;
}

/** A job that is pending again. */
export interface RetriedJob extends Enqueueable {
  orgId: OrgId;
  type: string;
  stage: PendingStage;
}

/**
 * In a transaction: failed → pending, as a new job except for the numbers of its attempts: retries and crashes are counted from zero, and
 * the results so far stay only in its log, which records the retry. Held if it is under a limit, in an ordered one after
 * all jobs before it; blocked while one of its conditions waits; else enqueued if its queue has capacity, or waiting.
 * Null: the job is not failed (any more), has expired, is redacted, cannot start because of a job that it names, or a source of its
 * payload is gone.
 * Triggers: the job is subtracted from the statistics of finished jobs (`correct_job_counts.sql`), and if it is held it writes its
 * lane (`wake_limit_lanes.sql`). The rows of its sources are written again (`write_job_sources.sql`).
 */
export async function retryFailed(
  tx: DbSession,
  key: JobKey,
  hasCapacity: boolean,
  message: string,
): Promise<RetriedJob | null> {
  return (await retryEach(tx, [key], hasCapacity, message))[0] ?? null;
}

interface RetryOptions {
  code?: JobErrorCode | null;
  isQuiet?: boolean;
}

/**
 * Like retryFailed, for several jobs, none of which is enqueued, in a transaction. Returns those that were retried. `code`: only those
 * that failed with it. `isQuiet`: no webhook gets their next ends.
 */
export function retryAllFailed(
  tx: DbSession,
  keys: readonly JobKey[],
  message: string,
  { code = null, isQuiet = false }: RetryOptions = {},
): Promise<RetriedJob[]> {
  return retryEach(tx, keys, false, message, { code, isQuiet });
}

/** Payloads that are searched for redacted keys in one statement, and how many jobs they are of. */
const SEARCHED = { bytes: 1024 * 1024, jobs: 50 };

/**
 * How many of these jobs of an organization one call of retryAllFailed can take: all, or if the organization redacts payloads, the
 * first ones whose payloads have at most a megabyte together, at least one.
 */
export async function countRetryable(db: DbSession, orgId: OrgId, keys: readonly JobKey[]): Promise<number> {
  const [row] = await db.$queryRaw<[{ count: number; redacts: boolean }]>`
    SELECT count(s.key)::int AS count, EXISTS (
      SELECT 1 FROM organization_settings WHERE org_id = ${orgId}::uuid AND redact_keys <> '{}') AS redacts
    FROM (
      SELECT k.key, k.n, sum(octet_length(b.payload::text)) OVER (ORDER BY k.n) AS bytes
      FROM unnest(${keys.slice(0, SEARCHED.jobs)}::uuid[]) WITH ORDINALITY AS k(key, n) LEFT JOIN submitted_jobs b ON b.key = k.key
      WHERE EXISTS (SELECT 1 FROM organization_settings WHERE org_id = ${orgId}::uuid AND redact_keys <> '{}')) AS s
    WHERE s.n = 1 OR coalesce(s.bytes, 0) <= ${SEARCHED.bytes}`;
  return row.redacts ? row.count : keys.length;
}

async function retryEach(
  tx: DbSession,
  keys: readonly JobKey[],
  hasCapacity: boolean,
  message: string,
  { code = null, isQuiet = false }: RetryOptions = {},
): Promise<RetriedJob[]> {
  const stage: PendingStage = hasCapacity ? 'enqueued' : 'waiting';
  // Before the next statement reads their conditions, which change only while the row of their job is locked.
  await tx.$queryRaw`SELECT 1 FROM finished_jobs WHERE key = ANY (${keys}::uuid[]) ORDER BY key FOR UPDATE`;
  return tx.$queryRaw<RetriedJob[]>`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    f AS (
      DELETE FROM finished_jobs f USING submitted_jobs s, t
      WHERE f.key = ANY (${keys}::uuid[]) AND f.status::text = 'failed' AND s.key = f.key
        AND (f.expires_at IS NULL OR f.expires_at > t.now) AND f.error_code IS NOT DISTINCT FROM coalesce(${code}, f.error_code)
        AND NOT EXISTS (${obstaclesOf(Prisma.sql`f.key`)})
        -- The column is checked again after a wait for a redaction that has locked the row.
        AND NOT (redacted_at IS NOT NULL OR redacted_keys(f.org_id, f.key) IS NOT NULL)
        AND (f.sources IS NULL OR gone_sources(f.org_id, f.sources) = '{}')
      RETURNING f.*, s.priority, s.limit_name, s.refers, CASE WHEN s.planned_at IS NOT NULL THEN s.schedule_id END AS schedule_id),
    r AS (
      INSERT INTO live_jobs (key, org_id, id, type, queue, priority, max_retries, attempt, run_at, place, enqueue_seq,
        enqueued_at, claim_token, created_at, updated_at, started_at, duration_ms, ${KEPT_COLUMNS}, limit_name,
        accepted_at, schedule_id, refers, is_awaited, is_quiet)
      SELECT key, org_id, id, type, queue, priority, max_retries, attempt, t.now,
        CASE WHEN ${isBlocked(Prisma.sql`j.key`)} THEN 'blocked' WHEN ${UNDER_LIMIT} THEN 'held'
          ELSE ${stage} END::job_place,
        enqueue_seq + ${hasCapacity}::bool::int, CASE WHEN ${hasCapacity}::bool THEN t.now END, claim_token, created_at, t.now,
        started_at, duration_ms, ${KEPT_COLUMNS}, limit_name, t.now, schedule_id, refers,
        EXISTS (SELECT 1 FROM job_conditions c WHERE c.after_key = j.key AND c.state <> 'met'),
        CASE WHEN ${isQuiet}::bool THEN true END
      FROM f AS j, t
      RETURNING key, queue, enqueue_seq AS seq, place AS stage, org_id AS "orgId", type),
    l AS (
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at, status)
      SELECT key, org_id, greatest(attempt, 1), 'note', 'info', ${message}, t.now, 'pending' FROM f, t)
    SELECT * FROM r`;
}
