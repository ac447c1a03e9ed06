import type { Db } from '@jobline/db';

/** A table's name and one of its rows as JSON. */
export type RowText = `${string} ${string}`;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The rows and secrets of an organization. */
export interface Belongings {
  /** Every row of the organization, in all tables. */
  rows: RowText[];
  /**
   * Finds every text in those rows that no other row has: a caller who sees one of them has seen the organization's
   * data. Slow, unless it looks only for those in the text `shown`.
   */
  findSecrets(shown?: string): string[];
}

/**
 * Returns the rows with the organization's id in `org_id`, and in tables without that column the rows that contain an
 * id of its rows or users. The tables are read from the database, so that new ones are included.
 */
export async function belongingsOf(db: Db, orgId: string): Promise<Belongings> {
  const all = await everyRow(db);
  // A job of another organization may have this id as its own id, so only rows without `org_id` are compared.
  const isOwn = ({ org, text }: Row) => org === orgId || (org === null && text.includes(`"id":"${orgId}"`));
  const ids = new Set(all.filter(isOwn).flatMap(({ text }) => text.match(UUID) ?? []));
  const isNamed = ({ org, text }: Row) => org === null && text.match(UUID)?.some((id) => ids.has(id));
  const isTheirs = (row: Row) => isOwn(row) || isNamed(row);
  const theirs = new Set(all.filter(isTheirs));
  return {
    rows: [...theirs].map(({ table, text }): RowText => `${table} ${text}`).sort(),
    findSecrets(shown) {
      const texts = new Set([...theirs].flatMap(({ text }) => textsIn(JSON.parse(text))));
      const candidates = [...texts].filter((text) => isSecret(text) && (shown === undefined || shown.includes(text)));
      if (candidates.length === 0) return [];
      const others = all
        .filter((row) => !theirs.has(row))
        .map(({ text }) => text)
        .join('\n');
      return candidates.filter((text) => !others.includes(text));
    },
  };
}

/** Short texts and texts without a digit are words, which many responses contain. */
function isSecret(text: string): boolean {
  return text.length >= MIN_LENGTH && /\d/.test(text) && !TIME.test(text);
}

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

/** One statement, so that all rows are of the same moment. */
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
