import type { OrgId } from '@jobline/contracts';
import type { DbSession } from '../postgres/client.js';
import { retryDeadlocks } from '../postgres/errors.js';

/** Approximate size of a row without its texts, with its indexes. */
const ROW_BYTES = { job: 1_000, line: 200, message: 600, bulk: 300 };

/**
 * The approximate size of an organization's jobs, logs, artifacts, messages and bulk actions when they were last counted, in bytes.
 */
export async function findStoredBytes(db: DbSession, orgId: OrgId): Promise<number> {
  const rows = await db.$queryRaw<{ bytes: number }[]>`
    SELECT stored_bytes::float8 AS bytes FROM organizations WHERE id = ${orgId}::uuid`;
  return rows[0]?.bytes ?? 0;
}

/**
 * Counts the bytes that every organization stores, and writes the results that differ by more than a hundredth. Of a
 * table larger than `maxPages`, about that many pages are read, and the others are assumed to be like them: the cost
 * does not grow with the stored data.
 */
export async function countStoredBytes(db: DbSession, maxPages: number): Promise<void> {
  const share = await sharesToRead(db, maxPages);
  await retryDeadlocks(
    () => db.$executeRaw`
      WITH kept AS (
        SELECT org_id, (${ROW_BYTES.job}::int + pg_column_size(payload)) / ${share.jobs}::float8 AS bytes
        FROM submitted_jobs TABLESAMPLE SYSTEM (${100 * share.jobs}::float4)
        UNION ALL
        SELECT org_id, pg_column_size(result) / ${share.results}::float8
        FROM finished_jobs TABLESAMPLE SYSTEM (${100 * share.results}::float4) WHERE result IS NOT NULL
        UNION ALL
        SELECT org_id, (${ROW_BYTES.line}::int + pg_column_size(message)) / ${share.lines}::float8
        FROM job_logs TABLESAMPLE SYSTEM (${100 * share.lines}::float4)
        UNION ALL
        SELECT org_id, (${ROW_BYTES.message}::int + pg_column_size(body)) / ${share.messages}::float8
        FROM messages TABLESAMPLE SYSTEM (${100 * share.messages}::float4)
        UNION ALL
        SELECT org_id, (${ROW_BYTES.bulk}::int + pg_column_size(filter)) / ${share.bulks}::float8
        FROM bulk_actions TABLESAMPLE SYSTEM (${100 * share.bulks}::float4)
        UNION ALL
        SELECT j.org_id, a.size / ${share.artifacts}::float8
        FROM artifacts a TABLESAMPLE SYSTEM (${100 * share.artifacts}::float4) JOIN submitted_jobs j ON j.key = a.job_key),
      sums AS (SELECT org_id, sum(bytes)::bigint AS bytes FROM kept GROUP BY org_id),
      counted AS (
        SELECT o.id, coalesce(s.bytes, 0) AS bytes FROM organizations o LEFT JOIN sums s ON s.org_id = o.id
        WHERE abs(o.stored_bytes - coalesce(s.bytes, 0)) > coalesce(s.bytes, 0) / 100),
      -- One that is locked follows with the next count: nothing waits for it here, or for the others meanwhile.
      free AS MATERIALIZED (
        SELECT id FROM organizations WHERE id IN (SELECT id FROM counted) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
      UPDATE organizations o SET stored_bytes = c.bytes FROM counted c
      WHERE o.id = c.id AND o.id IN (SELECT id FROM free)`,
  );
}

/** The share of each table that is read, from 0 to 1. */
async function sharesToRead(db: DbSession, maxPages: number) {
  const rows = await db.$queryRaw<{ name: string; share: number }[]>`
    SELECT name, least(1, ${maxPages}::float8 * current_setting('block_size')::int / greatest(1, pg_relation_size(name::regclass))) AS share
    FROM unnest(ARRAY['submitted_jobs', 'finished_jobs', 'job_logs', 'messages', 'artifacts', 'bulk_actions']) AS t(name)`;
  const shareOf = (table: string) => rows.find(({ name }) => name === table)?.share ?? 1;
  return {
    jobs: shareOf('submitted_jobs'),
    results: shareOf('finished_jobs'),
    lines: shareOf('job_logs'),
    messages: shareOf('messages'),
    artifacts: shareOf('artifacts'),
    bulks: shareOf('bulk_actions'),
  };
}
