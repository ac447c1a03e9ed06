/** Comes before every id that is a UUID. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Where a page that runs from the newest row to the oldest begins: below its cursor, and before `before`. It is one bound,
 * to be compared as `(created_at, id) < (at, id)`: of two bounds Postgres may begin at the higher one, and would then read
 * every row between both for each page. `firstId` comes before every id.
 */
export function upperBound(
  cursor: { createdAt: Date; id: string } | undefined,
  before: Date | undefined,
  firstId: string,
): { at: string; id: string } {
  if (cursor && (!before || cursor.createdAt < before)) return { at: cursor.createdAt.toISOString(), id: cursor.id };
  return { at: before?.toISOString() ?? 'infinity', id: firstId };
}
