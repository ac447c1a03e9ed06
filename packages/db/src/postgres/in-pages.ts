import { retryDeadlocks } from './errors.js';

/** Rows of one statement, and the highest number of statements. */
export const PAGE_ROWS = 2_000;
const MAX_STATEMENTS = 1_000;

/**
 * Repeats a statement about PAGE_ROWS rows until it finds none: one for all rows could take longer than a statement may. It
 * should skip locked rows, so that it waits for no other transaction.
 */
export async function inPages(statement: () => Promise<number>): Promise<void> {
  for (let n = 0; n < MAX_STATEMENTS && (await retryDeadlocks(statement)) > 0; n++);
}
