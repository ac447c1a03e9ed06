import type { JobKey } from '@jobline/contracts';
import type { DbSession } from '../client.js';
import { retryDeadlocks } from '../errors.js';

/** A job's key, and whether it has been finished for longer than jobs are kept. */
export interface OldJob {
  key: JobKey;
  isExpired: boolean;
}

/**
 * The next page, by key, of the jobs that were submitted before the time from which jobs are kept. Keys are UUIDs of
 * version 7, which begin with the time, so the primary key alone finds them. `after` is the last key of the page before.
 */
export async function listOld(
  db: DbSession,
  page: { after: JobKey | null; limit: number; days: number },
): Promise<OldJob[]> {
  const after = page.after ?? '00000000-0000-0000-0000-000000000000';
  return db.$queryRaw<OldJob[]>`
    WITH kept AS MATERIALIZED (SELECT now() - ${page.days}::int * interval '1 day' AS since),
    bound AS MATERIALIZED (
      SELECT (lpad(to_hex(floor(extract(epoch FROM since) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid AS key FROM kept)
    SELECT key, status::text IN ('done', 'failed') AND coalesce(finished_at < (SELECT since FROM kept), false) AS "isExpired"
    FROM jobs WHERE key > ${after}::uuid AND key < (SELECT key FROM bound)
    ORDER BY key LIMIT ${page.limit}`;
}

/** Deletes log lines of expired jobs, `limit` at most. Answers with how many. */
export function deleteExpiredLines(
  db: DbSession,
  keys: readonly JobKey[],
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  return db.$executeRaw`
    DELETE FROM job_logs WHERE (job_key, id) IN (
      SELECT l.job_key, l.id FROM jobs j JOIN job_logs l ON l.job_key = j.key
      WHERE j.key = ANY(${keys}::uuid[]) AND j.status::text IN ('done', 'failed')
        AND j.finished_at < now() - ${days}::int * interval '1 day' LIMIT ${limit})`;
}

/**
 * The expired jobs that have files in the store, `limit` at most: those with an artifact there, and those with an
 * attempt that may have broken off between the file and its row.
 */
export async function listExpiredStored(
  db: DbSession,
  keys: readonly JobKey[],
  { days, limit }: { days: number; limit: number },
): Promise<JobKey[]> {
  const rows = await db.$queryRaw<{ key: JobKey }[]>`
    SELECT j.key FROM jobs j
    WHERE j.key = ANY(${keys}::uuid[]) AND j.status::text IN ('done', 'failed')
      AND j.finished_at < now() - ${days}::int * interval '1 day'
      AND (j.attempt > 1 OR (j.attempt = 1 AND j.status::text = 'failed')
        OR EXISTS (SELECT 1 FROM artifacts a WHERE a.job_key = j.key AND a.store_key IS NOT NULL))
    LIMIT ${limit}`;
  return rows.map(({ key }) => key);
}

/**
 * Deletes artifacts of expired jobs, `limit` at most. Those whose files are in the store go only with jobs that were
 * `emptied`, whose files there are gone. Answers with how many.
 */
export function deleteExpiredArtifacts(
  db: DbSession,
  keys: readonly JobKey[],
  { days, limit, emptied }: { days: number; limit: number; emptied: readonly JobKey[] },
): Promise<number> {
  return db.$executeRaw`
    DELETE FROM artifacts WHERE (job_key, name) IN (
      SELECT a.job_key, a.name FROM jobs j JOIN artifacts a ON a.job_key = j.key
      WHERE j.key = ANY(${keys}::uuid[]) AND (a.store_key IS NULL OR j.key = ANY(${emptied}::uuid[])) AND j.status::text IN ('done', 'failed')
        AND j.finished_at < now() - ${days}::int * interval '1 day' LIMIT ${limit})`;
}

/** Deletes the payments of expired jobs. */
export function deleteExpiredPayments(db: DbSession, keys: readonly JobKey[], days: number): Promise<number> {
  return db.$executeRaw`
    DELETE FROM payments p USING jobs j
    WHERE p.job_key = j.key AND j.key = ANY(${keys}::uuid[]) AND j.status::text IN ('done', 'failed')
      AND j.finished_at < now() - ${days}::int * interval '1 day'`;
}

/**
 * Deletes those of the jobs that are expired: one that a person has meanwhile sent for another run stays. To be called
 * when their lines, artifacts and payments are gone, which nobody would find any more. Answers with how many.
 */
export function deleteExpiredJobs(db: DbSession, keys: readonly JobKey[], days: number): Promise<number> {
  const sorted = [...keys].sort();
  return retryDeadlocks(
    () => db.$executeRaw`
      DELETE FROM jobs WHERE key = ANY(${sorted}::uuid[]) AND status::text IN ('done', 'failed')
        AND finished_at < now() - ${days}::int * interval '1 day'`,
  );
}

/**
 * Deletes idempotency keys that are past their end, `limit` at most. Those whose jobs are still kept, one of them at
 * least, are put off for a day instead. Answers with how many it has dealt with.
 */
export async function deleteExpiredIdempotencyKeys(db: DbSession, limit: number): Promise<number> {
  const rows = await retryDeadlocks(
    () => db.$queryRaw<{ count: number }[]>`
      WITH due AS MATERIALIZED (
        SELECT org_id, key, EXISTS (SELECT 1 FROM jobs j WHERE j.key = ANY(k.job_keys)) AS is_kept
        FROM idempotency_keys k WHERE expires_at < now() ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED),
      deleted AS (
        DELETE FROM idempotency_keys k USING due WHERE k.org_id = due.org_id AND k.key = due.key AND NOT due.is_kept),
      put_off AS (
        UPDATE idempotency_keys k SET expires_at = now() + interval '1 day'
        FROM due WHERE k.org_id = due.org_id AND k.key = due.key AND due.is_kept)
      SELECT count(*)::int AS count FROM due`,
  );
  return rows[0]?.count ?? 0;
}
