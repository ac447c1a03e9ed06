import type { Db } from '@jobline/db';

/** A row as text, with its table. */
export type RowText = `${string} ${string}`;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Every row of every table that is an organization's: those with its id in `org_id`, and in tables without that column
 * those that name one of its rows or people. The tables are the database's own list, so that new ones are among them.
 */
export async function belongingsOf(db: Db, orgId: string): Promise<RowText[]> {
  const rows = await everyRow(db);
  const own = rows.filter(({ org, text }) => org === orgId || text.includes(`"id":"${orgId}"`));
  const ids = new Set(own.flatMap(({ text }) => text.match(UUID) ?? []));
  const named = rows.filter(({ org, text }) => org === null && text.match(UUID)?.some((id) => ids.has(id)));
  return [...new Set([...own, ...named].map(({ table, text }): RowText => `${table} ${text}`))].sort();
}

/** Every text in those rows that no other row has: whoever sees one of them has seen something of theirs. */
export async function secretsOf(db: Db, orgId: string): Promise<string[]> {
  const rows = await belongingsOf(db, orgId);
  const own = new Set<string>(rows);
  const others = (await everyRow(db)).filter(({ table, text }) => !own.has(`${table} ${text}`));
  const foreign = others.map(({ text }) => text).join('\n');
  const texts = new Set(rows.flatMap((row) => textsIn(JSON.parse(row.slice(row.indexOf(' ') + 1)))));
  return [...texts].filter((text) => text.length >= MIN_LENGTH && !TIME.test(text) && !foreign.includes(text));
}

/** Shorter ones are words, which are in many an answer. */
const MIN_LENGTH = 9;
const TIME = /^\d{4}-\d\d-\d\dT/;

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

interface Row {
  table: string;
  org: string | null;
  text: string;
}

/** One statement, so that all of it is of one moment. */
async function everyRow(db: Db): Promise<Row[]> {
  const tables = await db.$queryRaw<{ name: string; has_org: boolean }[]>`
    SELECT c.relname AS name,
           EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'org_id') AS has_org
    FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace`;
  const selects = tables.map(
    ({ name, has_org }) =>
      `SELECT '${name}' AS table, ${has_org ? 'org_id::text' : 'NULL'} AS org, row_to_json(t)::text AS text FROM "${name}" t`,
  );
  return db.$queryRawUnsafe<Row[]>(selects.join(' UNION ALL '));
}
