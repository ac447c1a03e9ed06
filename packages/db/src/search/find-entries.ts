import type { OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import { BATCH_SIZE, bitsOf, type SearchKind } from './index-entries.js';

/** An entry that may match a search: its index may be older than its row. */
export interface Candidate {
  kind: SearchKind;
  key: string;
}

/** Rows of the index that a word reads: so many batches of a frequent word, or so many words with a short beginning. */
const MAX_ROWS = 10_000;
/** Entries that a search looks at for the same words. */
const MAX_CANDIDATES = 300;
/** Jobs that have exactly this id, tag or key, of each the newest. */
const MAX_EXACT = 60;
/** Jobs of all organizations whose keys have the same beginning, which is a time. */
const MAX_KEYS = 2_000;

/** SQL: after every word that begins with the parameter. */
const LAST = Prisma.sql`chr(1114111)`;

/** SQL: the rows of the index for a word, or for those that begin with it: those of the word itself first, and of each word the newest. */
function rowsOf(orgId: OrgId, word: string, isExact: boolean, columns: Prisma.Sql): Prisma.Sql {
  const words = isExact ? Prisma.sql`word = ${word}` : Prisma.sql`word >= ${word} AND word < ${word} || ${LAST}`;
  return Prisma.sql`SELECT ${columns} FROM search_postings AS p
    WHERE org_id = ${orgId}::uuid AND ${words} ORDER BY word, batch DESC LIMIT ${MAX_ROWS}`;
}

/**
 * The newest entries that have these words, or words with each of these beginnings, as the index has them. `scopes`: words of which an entry
 * must have one; null: any entry. A word with more rows than may be read does not narrow the result, if another one has fewer.
 */
export async function findEntries(
  db: DbSession,
  orgId: OrgId,
  { words, isExact }: { words: readonly string[]; isExact: boolean },
  scopes: readonly string[] | null,
): Promise<Candidate[]> {
  const counts = await db.$queryRaw<{ count: number }[]>`
    ${Prisma.join(
      words.map(
        (word, n) => Prisma.sql`
        SELECT ${n}::int AS n, count(*)::int AS count FROM (${rowsOf(orgId, word, isExact, Prisma.sql`1`)}) AS r`,
      ),
      ' UNION ALL ',
    )} ORDER BY n`;
  if (counts.some(({ count }) => count === 0)) return [];
  const complete = words.filter((_, n) => (counts[n]?.count ?? 0) < MAX_ROWS);
  const parts = (complete.length > 0 ? complete : words).map((word) =>
    rowsOf(orgId, word, isExact, Prisma.sql`batch, n, bits`),
  );
  if (scopes) {
    parts.push(Prisma.sql`
      SELECT p.* FROM unnest(${scopes}::text[]) AS s(word), LATERAL (
        SELECT batch, n, bits FROM search_postings AS p WHERE org_id = ${orgId}::uuid AND word = s.word
        ORDER BY batch DESC LIMIT ${MAX_ROWS}) AS p`);
  }
  const sets = parts.map(
    (rows) => Prisma.sql`SELECT batch, bit_or(${bitsOf('p')}) AS bits FROM (${rows}) AS p GROUP BY batch`,
  );
  return db.$queryRaw<Candidate[]>`
    WITH b AS MATERIALIZED (
      SELECT batch, bits FROM (
        SELECT batch, bit_and(bits) AS bits, count(*) AS n FROM (${Prisma.join(sets, ' UNION ALL ')}) AS s GROUP BY batch) AS s
      WHERE n = ${parts.length} AND position(B'1' IN bits) > 0
      ORDER BY batch DESC LIMIT ${MAX_CANDIDATES})
    SELECT e.kind::text AS kind, e.key FROM (
      SELECT b.batch, n FROM b, generate_series(0, ${BATCH_SIZE - 1}) AS n WHERE get_bit(b.bits, n) = 1
      ORDER BY b.batch DESC, n DESC LIMIT ${MAX_CANDIDATES}) AS c CROSS JOIN LATERAL (
        SELECT kind, key FROM search_entries WHERE org_id = ${orgId}::uuid AND batch = c.batch AND n = c.n OFFSET 0) AS e
    ORDER BY c.batch DESC, c.n DESC`;
}

/** The jobs whose id, tag or key is exactly this text, or whose key begins with it: those that have no row in the index yet, too. */
export async function findExactly(db: DbSession, orgId: OrgId, text: string): Promise<Candidate[]> {
  const digits = text.toLowerCase().replaceAll('-', '');
  const isKey = KEY_BEGINNING.test(text);
  const own = Prisma.sql`org_id = ${orgId}::uuid`;
  const rows = await db.$queryRaw<{ key: string }[]>`
    (SELECT key FROM submitted_jobs WHERE ${own} AND id = ${text})
    UNION ALL (SELECT key FROM job_tags WHERE ${own} AND tag = ${text} ORDER BY created_at DESC, id DESC LIMIT ${MAX_EXACT})
    UNION ALL (SELECT key FROM submitted_jobs WHERE ${own} AND limit_key = ${text} ORDER BY created_at DESC, id DESC LIMIT ${MAX_EXACT})
    UNION ALL (
      SELECT key FROM (
        SELECT key, org_id FROM submitted_jobs
        WHERE ${isKey} AND key BETWEEN ${toUuid(isKey ? digits : '', '0')}::uuid AND ${toUuid(isKey ? digits : '', 'f')}::uuid
        ORDER BY key DESC LIMIT ${MAX_KEYS}) AS k WHERE ${own} LIMIT ${MAX_EXACT})`;
  return rows.map(({ key }) => ({ kind: 'job', key }));
}

/** More than the index has: the first characters of a generated id, which begins with the milliseconds of its creation. */
const KEY_BEGINNING = /^[0-9a-f]{8}-[0-9a-f]{1,4}(?:-[0-9a-f]{0,4}){0,2}(?:-[0-9a-f]{0,12})?$/i;

function toUuid(digits: string, fill: '0' | 'f'): string {
  const all = digits.slice(0, 32).padEnd(32, fill);
  return all.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
