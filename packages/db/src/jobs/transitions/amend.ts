import type { JobKey, LogLevel, OrgId } from '@jobline/contracts';
import type { DbSession } from '../../postgres/client.js';

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
