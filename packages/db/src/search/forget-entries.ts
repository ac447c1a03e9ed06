import type { OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import { messagesOf } from '../jobs/redaction.js';
import type { DbSession } from '../postgres/client.js';
import { FIRST_ID } from '../postgres/page.js';
import { BATCH_SIZE, bitsOf, lockSearchPosition } from './index-entries.js';

/** Deletes what the index has of entries that exist no more, or not as they were. Searches do not find these in any case. */

const IS_EMPTY = Prisma.sql`position(B'1' IN bits) = 0`;

/**
 * Deletes the words of these jobs and messages of an organization, and of the messages of the jobs, from the index, with their places.
 * What is left of them is indexed again.
 */
export async function forgetEntries(tx: DbSession, orgId: OrgId, keys: readonly string[]): Promise<void> {
  // The task that indexes waits until the end of the transaction, also before the organization has an index.
  await lockSearchPosition(tx, orgId);
  const rows = await tx.$queryRaw<{ kind: string; key: string; batch: number; n: number }[]>`
      WITH r AS MATERIALIZED (SELECT unnest(${keys}::uuid[]) AS key),
      k AS MATERIALIZED (SELECT key FROM r UNION ALL SELECT s.id FROM (${messagesOf('r')}) AS s)
      DELETE FROM search_entries WHERE key = ANY (ARRAY(SELECT key FROM k)) AND org_id = ${orgId}::uuid
      RETURNING kind::text AS kind, key, batch, n`;
  if (rows.length === 0) return;
  const batches = rows.map(({ batch }) => batch);
  await tx.$executeRaw`
      WITH gone AS MATERIALIZED (
        SELECT batch, ~bit_or(set_bit(repeat('0', ${BATCH_SIZE}::int)::bit(1024), n, 1)) AS others
        FROM unnest(${batches}::int[], ${rows.map(({ n }) => n)}::int[]) AS g(batch, n) GROUP BY batch)
      UPDATE search_postings p SET n = NULL, bits = ${bitsOf('p')} & gone.others
      FROM gone WHERE p.org_id = ${orgId}::uuid AND p.batch = gone.batch AND ${bitsOf('p')} & gone.others <> ${bitsOf('p')}`;
  await tx.$executeRaw`
      DELETE FROM search_postings WHERE org_id = ${orgId}::uuid AND batch = ANY (${batches}::int[]) AND ${IS_EMPTY}`;
  await tx.$executeRaw`
      INSERT INTO search_queue (org_id, kind, key)
      SELECT DISTINCT ${orgId}::uuid, kind::search_kind, key
      FROM unnest(${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ key }) => key)}::uuid[]) AS g(kind, key)`;
}

/** Deletes at most this many rows of the index with one statement. */
const MAX_ROWS = 5_000;

/**
 * Examines the next full batches of an organization, and deletes those of whose entries none exists any more. `after`: the last one that was
 * examined; null: from the first. Returns the next `after`; null: all have been examined.
 */
export async function dropDeadBatches(
  db: DbSession,
  orgId: OrgId,
  { after, limit }: { after: number | null; limit: number },
): Promise<number | null> {
  const batches = await db.$queryRaw<{ batch: number; isDead: boolean }[]>`
    WITH RECURSIVE b(batch, i) AS (
      (SELECT batch, 1 FROM search_postings WHERE org_id = ${orgId}::uuid AND batch > ${after ?? -1} ORDER BY org_id, batch LIMIT 1)
      UNION ALL
      (SELECT x.batch, b.i + 1 FROM b, LATERAL (
        SELECT batch FROM search_postings WHERE org_id = ${orgId}::uuid AND batch > b.batch ORDER BY org_id, batch LIMIT 1) AS x
       WHERE b.i < ${limit}::int))
    SELECT b.batch, NOT EXISTS (
      SELECT 1 FROM search_entries e WHERE e.org_id = ${orgId}::uuid AND e.batch = b.batch AND CASE e.kind
        WHEN 'job' THEN EXISTS (SELECT 1 FROM submitted_jobs s WHERE s.key = e.key)
        ELSE EXISTS (SELECT 1 FROM messages m WHERE m.id = e.key) END) AS "isDead"
    FROM b WHERE b.batch < (SELECT batch FROM search_positions WHERE org_id = ${orgId}::uuid) ORDER BY b.batch`;
  for (const { batch } of batches.filter(({ isDead }) => isDead)) {
    const count = await db.$executeRaw`
      DELETE FROM search_postings WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM search_postings WHERE org_id = ${orgId}::uuid AND batch = ${batch} LIMIT ${MAX_ROWS}))`;
    if (count === MAX_ROWS) return batch - 1;
    await db.$executeRaw`DELETE FROM search_entries WHERE org_id = ${orgId}::uuid AND batch = ${batch}`;
  }
  return batches.length < limit ? null : (batches.at(-1)?.batch ?? null);
}

/** The next organizations, in the order of their ids, that have an index. */
export async function listIndexedOrgs(db: DbSession, after: OrgId | null, limit: number): Promise<{ orgId: OrgId }[]> {
  return db.$queryRaw<{ orgId: OrgId }[]>`
    SELECT org_id AS "orgId" FROM search_positions WHERE org_id > ${after ?? FIRST_ID}::uuid ORDER BY org_id LIMIT ${limit}`;
}
