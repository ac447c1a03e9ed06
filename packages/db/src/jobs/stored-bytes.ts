import type { OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import { retryDeadlocks } from '../postgres/errors.js';

interface CountedTable {
  table: string;
  /** Approximate size of a row without its texts, with its indexes. */
  rowBytes: number;
  /** SQL: the size of its texts. `pg_column_size` does not read values that are stored out of line. */
  textBytes?: string;
  /** SQL: the row that has the organization, as `o`. Absent: the row itself has it. */
  owner?: string;
}

/** Every table whose rows an organization can cause without a small quota. */
const COUNTED: readonly CountedTable[] = [
  { table: 'submitted_jobs', rowBytes: 1_000, textBytes: 'pg_column_size(t.payload)' },
  { table: 'finished_jobs', rowBytes: 0, textBytes: 'pg_column_size(t.result)' },
  { table: 'job_tags', rowBytes: 250 },
  { table: 'job_abouts', rowBytes: 250 },
  { table: 'job_conditions', rowBytes: 600 },
  {
    table: 'job_logs',
    rowBytes: 200,
    textBytes: 'coalesce(pg_column_size(t.message), 0) + coalesce(pg_column_size(t.stack), 0)',
  },
  { table: 'job_counts', rowBytes: 150 },
  { table: 'failed_attempts', rowBytes: 150 },
  { table: 'job_progress', rowBytes: 200, textBytes: 'pg_column_size(t.text)' },
  { table: 'limit_lanes', rowBytes: 400 },
  { table: 'artifacts', rowBytes: 300, textBytes: 't.size', owner: 'submitted_jobs o ON o.key = t.job_key' },
  { table: 'files', rowBytes: 400, textBytes: 't.size' },
  { table: 'job_sources', rowBytes: 200 },
  { table: 'payments', rowBytes: 600 },
  { table: 'idempotency_keys', rowBytes: 200, textBytes: 'pg_column_size(t.answer) + pg_column_size(t.job_keys)' },
  { table: 'messages', rowBytes: 600, textBytes: 'pg_column_size(t.body)' },
  { table: 'message_events', rowBytes: 400, owner: 'messages o ON o.id = t.message_id' },
  { table: 'bulk_actions', rowBytes: 300, textBytes: 'pg_column_size(t.filter)' },
  {
    table: 'bulk_parts',
    rowBytes: 50,
    textBytes: 'pg_column_size(t.keys)',
    owner: 'bulk_actions o ON o.id = t.bulk_id',
  },
  { table: 'webhook_events', rowBytes: 200, textBytes: 'pg_column_size(t.data)' },
  { table: 'webhook_deliveries', rowBytes: 500 },
  {
    table: 'webhook_tries',
    rowBytes: 150,
    textBytes: 'pg_column_size(t.answer)',
    owner: 'webhook_deliveries o ON o.id = t.delivery_id',
  },
  { table: 'audit_entries', rowBytes: 800, textBytes: 'pg_column_size(t.details)' },
  { table: 'alerts', rowBytes: 250 },
  { table: 'templates', rowBytes: 400, textBytes: 'pg_column_size(t.body) + pg_column_size(t.sample)' },
  { table: 'schedules', rowBytes: 800, textBytes: 'pg_column_size(t.payload)' },
];

/** The approximate size of what an organization stores when it was last counted, in bytes. */
export async function findStoredBytes(db: DbSession, orgId: OrgId): Promise<number> {
  const rows = await db.$queryRaw<{ bytes: number }[]>`
    SELECT stored_bytes::float8 AS bytes FROM organizations WHERE id = ${orgId}::uuid`;
  return rows[0]?.bytes ?? 0;
}

/**
 * Counts the bytes that every organization stores, with the jobs of its deliveries, and writes the results that differ by more
 * than a hundredth. A statement reads one table. Of a table larger than `maxPages`, about that many pages are read, and the
 * others are assumed to be like them: the cost does not grow with the stored data.
 */
export async function countStoredBytes(db: DbSession, maxPages: number): Promise<void> {
  const bytesOf = new Map<string, number>();
  for (const counted of COUNTED) {
    for (const { orgId, bytes } of await countTable(db, counted, maxPages)) {
      bytesOf.set(orgId, (bytesOf.get(orgId) ?? 0) + bytes);
    }
  }
  await retryDeadlocks(
    () => db.$executeRaw`
      WITH sums AS (
        SELECT coalesce(o.delivers_for, o.id) AS org_id, sum(k.bytes)::bigint AS bytes
        FROM unnest(${[...bytesOf.keys()]}::uuid[], ${[...bytesOf.values()]}::float8[]) AS k(org_id, bytes)
        JOIN organizations o ON o.id = k.org_id GROUP BY 1),
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

/** The bytes of each organization in a table. */
async function countTable(
  db: DbSession,
  { table, rowBytes, textBytes = '0', owner }: CountedTable,
  maxPages: number,
): Promise<{ orgId: string; bytes: number }[]> {
  const [{ share }] = await db.$queryRaw<[{ share: number }]>`
    SELECT least(1, ${maxPages}::float8 * current_setting('block_size')::int / greatest(1, pg_relation_size(${table}::regclass))) AS share`;
  const size = Prisma.raw(`${rowBytes} + coalesce(${textBytes}, 0)`);
  return db.$queryRaw<{ orgId: string; bytes: number }[]>`
    SELECT ${Prisma.raw(owner ? 'o' : 't')}.org_id::text AS "orgId", sum(${size}) / ${share}::float8 AS bytes
    FROM ${Prisma.raw(table)} AS t TABLESAMPLE SYSTEM (${100 * share}::float4) ${Prisma.raw(owner ? `JOIN ${owner}` : '')}
    GROUP BY 1`;
}
