import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

/** SQL: counts the attempts `from` these rows, which have failed now. Each row has the `org_id` and the `type` of its job. */
export function countFailedAttempts(from: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO failed_attempts (org_id, step_minutes, at, type, n)
    SELECT org_id, 0, date_trunc('minute', clock_timestamp()), type, count(*) FROM ${from} GROUP BY org_id, type`;
}

/** Rows of steps of `from` minutes that began so many minutes ago become part of the step of `to` minutes. */
const MERGES = [
  { from: 0, to: 1, afterMinutes: 2 },
  { from: 1, to: 30, afterMinutes: 2 * 60 },
  { from: 30, to: 180, afterMinutes: 30 * 60 },
] as const;
/** Statistics reach back seven days. */
const KEPT_MINUTES = 8 * 24 * 60;

/** Merges the rows of short steps into those of longer ones, and deletes what is no longer read: at most `limit` rows each. Returns whether more may be due. */
export async function mergeFailedAttempts(db: DbSession, limit: number): Promise<boolean> {
  const due = (from: number, minutes: number) => Prisma.sql`
    DELETE FROM failed_attempts WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM failed_attempts WHERE step_minutes = ${from}::smallint AND at < now() - ${minutes}::int * interval '1 min'
      ORDER BY step_minutes, at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`;
  const merged: number[] = [await db.$executeRaw(due(180, KEPT_MINUTES))];
  for (const { from, to, afterMinutes } of MERGES) {
    const [row] = await db.$queryRaw<{ count: number }[]>`
      WITH gone AS (${due(from, afterMinutes)} RETURNING *),
      i AS (
        INSERT INTO failed_attempts (org_id, step_minutes, at, type, n)
        SELECT org_id, ${to}::smallint, date_bin(${to}::int * interval '1 min', at, 'epoch'), type, sum(n) FROM gone GROUP BY 1, 3, 4)
      SELECT count(*)::int AS count FROM gone`;
    merged.push(row?.count ?? 0);
  }
  return merged.includes(limit);
}
