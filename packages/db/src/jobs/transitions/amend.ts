import type { JobKey, LogLevel, OrgId } from '@jobline/contracts';
import type { DbSession } from '../../postgres/client.js';

/** What has become known of a job after it ended. */
export interface Amendment {
  key: JobKey;
  /** JSON text, in place of the one there was. */
  result: string;
  level: LogLevel;
  message: string;
}

/**
 * Replaces a finished job's result, with a line in its log; its status stays. `same`: it has that result already.
 * `open`: it is not finished, and its own end would overwrite this. `gone`: there is no such job.
 */
export async function amendResult(
  db: DbSession,
  orgId: OrgId,
  { key, result, level, message }: Amendment,
): Promise<'amended' | 'same' | 'open' | 'gone'> {
  const rows = await db.$queryRaw<{ outcome: 'amended' | 'same' | 'open' }[]>`
    WITH f AS MATERIALIZED (
      SELECT key, attempt, status::text IN ('done', 'failed') AS is_over, result::text IS DISTINCT FROM ${result} AS is_new
      FROM jobs WHERE key = ${key}::uuid AND org_id = ${orgId}::uuid FOR UPDATE),
    a AS (
      UPDATE jobs j SET result = ${result}::json FROM f WHERE j.key = f.key AND f.is_over AND f.is_new
      RETURNING j.key, j.org_id, j.attempt),
    l AS (
      INSERT INTO job_logs (job_key, org_id, attempt, kind, level, message, at)
      SELECT key, org_id, greatest(attempt, 1), 'note', ${level}::log_level, ${message}, date_trunc('milliseconds', clock_timestamp())
      FROM a)
    SELECT CASE WHEN NOT is_over THEN 'open' WHEN is_new THEN 'amended' ELSE 'same' END AS outcome FROM f`;
  return rows[0]?.outcome ?? 'gone';
}
