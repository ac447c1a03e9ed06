import type { OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import type { HotDb } from '../postgres/hot.js';
import { FIRST_ID } from '../postgres/page.js';

/**
 * The index of searches: entries (jobs and messages) have places in batches, and each word has for each batch the places of the entries that
 * have it. So a frequent word costs a row for each batch and not for each entry.
 */

/** Places of a batch. The column has the same number of bits. */
export const BATCH_SIZE = 1_024;
const NO_BITS = Prisma.sql`repeat('0', ${BATCH_SIZE}::int)::bit(1024)`;

/** SQL: the places of a row of search_postings as bits. `n`: the only place. */
export function bitsOf(table: string): Prisma.Sql {
  const column = (name: string) => Prisma.raw(`${table}.${name}`);
  return Prisma.sql`coalesce(${column('bits')}, set_bit(${NO_BITS}, ${column('n')}, 1))`;
}

export type SearchKind = 'job' | 'message';

/** What has to be indexed: the next jobs in the order of their transactions, and the next rows of the queue. */
export interface NewEntries {
  created: { xid: string; key: string }[];
  queued: { id: bigint; kind: SearchKind; key: string }[];
}

/**
 * How far an organization's jobs are indexed, and the next free place. Only one transaction has it at a time. Null: the organization does
 * not exist, or has only deliveries, which no search finds.
 */
export interface SearchPosition {
  xid: string;
  key: string;
  batch: number;
  n: number;
  /** The oldest transaction that may still write. */
  oldest: string;
}

export async function lockSearchPosition(tx: DbSession, orgId: OrgId): Promise<SearchPosition | null> {
  // Transaction numbers begin again with lower ones if the database is restored on a new server: then all jobs are indexed again.
  const rows = await tx.$queryRaw<SearchPosition[]>`
    INSERT INTO search_positions AS p (org_id) SELECT id FROM organizations WHERE id = ${orgId}::uuid AND delivers_for IS NULL
    ON CONFLICT (org_id) DO UPDATE SET xid = CASE WHEN p.xid > pg_snapshot_xmax(pg_current_snapshot()) THEN '0' ELSE p.xid END
    RETURNING xid::text AS xid, key, batch, n, pg_snapshot_xmin(pg_current_snapshot())::text AS oldest`;
  return rows[0] ?? null;
}

/**
 * What is new after the position: at most `limit` of each. Like the events of an organization, jobs are in the order of their
 * transactions, and only those older than every running writer are taken: so none is missed.
 */
export async function listNewEntries(
  tx: DbSession,
  orgId: OrgId,
  { xid, key, oldest }: SearchPosition,
  limit: number,
): Promise<NewEntries> {
  const created = await tx.$queryRaw<NewEntries['created']>`
    SELECT xid::text AS xid, key FROM submitted_jobs
    WHERE org_id = ${orgId}::uuid AND (xid, key) > (${xid}::xid8, ${key}::uuid) AND xid < ${oldest}::xid8
    ORDER BY submitted_jobs.xid, key LIMIT ${limit}`;
  return { created, queued: await listQueued(tx, orgId, limit) };
}

function listQueued(tx: DbSession, orgId: OrgId, limit: number): Promise<NewEntries['queued']> {
  return tx.$queryRaw<NewEntries['queued']>`
    SELECT id, kind::text AS kind, key FROM search_queue WHERE org_id = ${orgId}::uuid ORDER BY org_id, id LIMIT ${limit}`;
}

/** Removes rows from the queue. An entry is read after its rows: what changes it later adds another one. */
export async function removeQueued(tx: DbSession, ids: readonly bigint[]): Promise<void> {
  if (ids.length > 0) await tx.$executeRaw`DELETE FROM search_queue WHERE id = ANY (${ids}::bigint[])`;
}

/** An entry with the words by which the index has it. */
export interface IndexedEntry {
  kind: SearchKind;
  key: string;
  words: readonly string[];
}

/** Stores entries at the next places, and how far the organization is indexed then. */
export async function insertEntries(
  tx: DbSession,
  orgId: OrgId,
  { batch, n, xid, key }: SearchPosition,
  entries: readonly IndexedEntry[],
): Promise<void> {
  const placeOf = (i: number) => ({ batch: batch + Math.floor((n + i) / BATCH_SIZE), n: (n + i) % BATCH_SIZE });
  const places = entries.map((_, i) => placeOf(i));
  const postings = entries.flatMap(({ words }, i) => words.map((word) => ({ word, ...placeOf(i) })));
  const next = placeOf(entries.length);
  await tx.$executeRaw`
    WITH e AS (
      INSERT INTO search_entries (org_id, batch, n, kind, key)
      SELECT ${orgId}::uuid, e.batch, e.n, e.kind, e.key FROM unnest(${places.map((place) => place.batch)}::int[],
        ${places.map((place) => place.n)}::int[], ${entries.map(({ kind }) => kind)}::search_kind[],
        ${entries.map((entry) => entry.key)}::uuid[]) AS e(batch, n, kind, key))
    UPDATE search_positions SET xid = ${xid}::xid8, key = ${key}::uuid, batch = ${next.batch}, n = ${next.n}
    WHERE org_id = ${orgId}::uuid`;
  if (postings.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO search_postings AS p (org_id, word, batch, n, bits)
    SELECT ${orgId}::uuid, word, batch, CASE WHEN count(*) = 1 THEN min(n) END,
      CASE WHEN count(*) > 1 THEN bit_or(set_bit(${NO_BITS}, n, 1)) END
    FROM unnest(${postings.map(({ word }) => word)}::text[], ${postings.map((posting) => posting.batch)}::int[],
      ${postings.map((posting) => posting.n)}::int[]) AS w(word, batch, n)
    GROUP BY word, batch ORDER BY word COLLATE "C"
    ON CONFLICT (org_id, word, batch) DO UPDATE SET n = NULL, bits = ${bitsOf('p')} | ${bitsOf('excluded')}`;
}

/** The oldest rows of the queue that a look at it reads. */
const QUEUED = 500;

/** Those of these organizations, of the first ones in the queue, and of the next ones by id, that have something to index. */
export async function listOrgsToIndex(
  hot: HotDb,
  { orgIds, after, limit }: { orgIds: readonly OrgId[]; after: OrgId | null; limit: number },
): Promise<{ orgIds: OrgId[]; last: OrgId | null }> {
  const rows = await hot.query<{ orgId: OrgId; isNew: boolean; isNamed: boolean }>`
    WITH o AS MATERIALIZED (
      SELECT o.id, o.is_named, coalesce((SELECT p.xid FROM search_positions p WHERE p.org_id = o.id), '0') AS xid,
        coalesce((SELECT p.key FROM search_positions p WHERE p.org_id = o.id), ${FIRST_ID}::uuid) AS key,
        (SELECT d.delivers_for FROM organizations d WHERE d.id = o.id) IS NULL AS is_searched
      FROM (
        SELECT id, true AS is_named FROM unnest(${orgIds}::uuid[]) AS n(id)
        UNION ALL
        SELECT org_id, true FROM (SELECT org_id FROM search_queue ORDER BY id LIMIT ${QUEUED}::int) AS q GROUP BY org_id
        UNION ALL
        (SELECT id, false FROM organizations WHERE id > ${after ?? FIRST_ID}::uuid ORDER BY id LIMIT ${limit}::int)) AS o)
    SELECT o.id AS "orgId", o.is_named AS "isNamed",
      o.is_searched AND ((
          SELECT s.key FROM submitted_jobs s WHERE s.org_id = o.id AND (s.xid, s.key) > (o.xid, o.key) ORDER BY s.xid LIMIT 1) IS NOT NULL
        OR o.xid > pg_snapshot_xmax(pg_current_snapshot()))
      OR (SELECT q.id FROM search_queue q WHERE q.org_id = o.id ORDER BY q.org_id, q.id LIMIT 1) IS NOT NULL AS "isNew"
    FROM o ORDER BY o.is_named DESC, o.id`;
  const page = rows.filter(({ isNamed }) => !isNamed);
  const found = new Set(rows.flatMap(({ orgId, isNew }) => (isNew ? [orgId] : [])));
  return { orgIds: [...found], last: page.length < limit ? null : (page.at(-1)?.orgId ?? null) };
}
