import { Prisma } from '../generated/client.js';
import type { DbSession } from './client.js';
import { retryDeadlocks } from './errors.js';

/** Pages of lists that run from the newest row to the oldest. */

/** The row after which the next page begins. */
export interface TimeCursor {
  createdAt: Date;
  id: string;
}

/** At most `limit` rows, those after the cursor. Without a cursor: the first page. */
export interface PageRequest {
  limit: number;
  cursor?: TimeCursor | undefined;
}

/** `next` is the cursor of the next page; null: this is the last page. */
export interface Page<Row> {
  items: Row[];
  next: TimeCursor | null;
}

/** About how many bytes of texts one page may have, in lists whose rows may be large. Such a page ends early. */
export const PAGE_BYTES = 2 * 1024 ** 2;

/** Comes before every id that is a UUID. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * The upper bound of a page: its cursor or `before`, whichever is older. It is a single bound, to be compared as
 * `(created_at, id) < (at, id)`: with two bounds Postgres may start at the newer one, and would then read every row
 * between the two for each page. `firstId` comes before every id of the list.
 */
export function upperBound(
  cursor: TimeCursor | undefined,
  before?: Date,
  firstId = FIRST_ID,
): { at: string; id: string } {
  if (cursor && (!before || cursor.createdAt < before)) return { at: cursor.createdAt.toISOString(), id: cursor.id };
  return { at: before?.toISOString() ?? 'infinity', id: firstId };
}

/**
 * The page in `rows`, of which the query has found one more than `limit`: the additional row only shows that another page
 * follows. `found`: how many it has found, if it has not returned all of them. `cursorOf` gives the columns that the list is
 * ordered by.
 */
export function toPage<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => TimeCursor,
  found = rows.length,
): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: last !== undefined && items.length < found ? cursorOf(last) : null };
}

/** A page of the rows of a SELECT that ends with its conditions, ordered by `created_at` and `id`: the newest first. */
export async function readPage<Row extends TimeCursor>(
  db: DbSession,
  { limit, cursor }: PageRequest,
  select: Prisma.Sql,
): Promise<Page<Row>> {
  const below = upperBound(cursor);
  const rows = await db.$queryRaw<Row[]>`
    ${select} AND (created_at, id) < (${below.at}::timestamptz, ${below.id}::uuid)
    ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`;
  return toPage(rows, limit, byCreation);
}

/**
 * Like readPage, for rows that may be large. The page ends early if its rows are large, so it may have fewer rows than `limit` although
 * another page follows. `from`: the table and the conditions; `bytes`: the size of a row.
 */
export async function readShortPage<Row extends TimeCursor>(
  db: DbSession,
  { limit, cursor }: PageRequest,
  { columns, from, bytes }: { columns: Prisma.Sql; from: Prisma.Sql; bytes: Prisma.Sql },
): Promise<Page<Row>> {
  const below = upperBound(cursor);
  const rows = await db.$queryRaw<(Row & { found: number })[]>`
    SELECT ${columns}, found FROM (
      SELECT *, count(*) OVER ()::int AS found, sum(bytes) OVER (ORDER BY created_at DESC, id DESC) - bytes AS bytes_before
      FROM (
        SELECT *, ${bytes} AS bytes FROM ${from} AND (created_at, id) < (${below.at}::timestamptz, ${below.id}::uuid)
        ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}) AS t) AS t
    WHERE bytes_before < ${PAGE_BYTES} ORDER BY created_at DESC, id DESC`;
  // The cast: a row of the page has the columns, and no others.
  return toPage(
    rows.map(({ found: _, ...row }) => row as unknown as Row),
    limit,
    byCreation,
    rows[0]?.found,
  );
}

/** The page in `rows`, of which the query has left out the last ones for their size. `found`: how many it has found. */
export function toShortPage<Row extends TimeCursor>(
  rows: readonly (Row & { found: number })[],
  limit: number,
): Page<Omit<Row & { found: number }, 'found'>> {
  const read = rows.map(({ found: _, ...row }) => row);
  return toPage(read, limit, byCreation, rows[0]?.found);
}

/** The cursor of a list that is ordered by `createdAt` and `id`. */
export function byCreation({ createdAt, id }: TimeCursor): TimeCursor {
  return { createdAt, id };
}

/** SQL: the position after the rows of `page`. */
export const OLDEST = Prisma.sql`SELECT created_at AS "createdAt", id FROM page ORDER BY created_at, id LIMIT 1`;

/** Rows of one statement, and the highest number of statements. */
export const PAGE_ROWS = 2_000;
const MAX_STATEMENTS = 1_000;

/**
 * Repeats a statement that changes the next PAGE_ROWS rows below a position, the newest first, until it returns no position:
 * one statement for all rows could take longer than a statement may. It should skip locked rows, so that it waits for no other
 * transaction. Without a position, each statement would read the rows that those before it have changed.
 */
export async function inPages(
  statement: (below: ReturnType<typeof upperBound>) => Promise<TimeCursor[]>,
): Promise<void> {
  let last: TimeCursor | undefined;
  for (let n = 0; n < MAX_STATEMENTS; n++) {
    const below = upperBound(last);
    [last] = await retryDeadlocks(() => statement(below));
    if (!last) return;
  }
}
