import { Prisma } from '../generated/client.js';
import { retryDeadlocks } from './errors.js';
import { type TimeCursor, upperBound } from './page.js';

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
