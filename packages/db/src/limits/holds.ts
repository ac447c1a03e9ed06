import { Prisma } from '../generated/client.js';

/**
 * What the end of an attempt says about a receiver or provider: it was unavailable, it refused the request, or it did what was asked.
 */
export type HoldSign = 'unavailable' | 'refused' | 'done';

/**
 * SQL: a CTE of a statement that records attempts, with a comma after it. It counts the ends of attempts that are in `r`, in the given
 * order, in the limits that may hold themselves: a limit begins to hold itself after so many in a row were unavailable, and opens when
 * a probe is done. Nothing, if no end counts. It waits for claims that read these limits, so that each start is before or after the
 * begin of a hold.
 */
export function updateHolds(ended: readonly { token: string; holdSign?: HoldSign | null }[]): Prisma.Sql {
  const signs = ended.filter(({ holdSign = null }) => holdSign !== null);
  if (signs.length === 0) return Prisma.empty;
  return Prisma.sql`
      signs AS (
        SELECT h.org_id, h.name, s.sign, r.started_at,
          count(*) FILTER (WHERE s.sign <> 'unavailable') OVER (PARTITION BY h.org_id, h.name ORDER BY s.n) AS nth
        FROM unnest(${signs.map(({ token }) => token)}::uuid[], ${signs.map(({ holdSign }) => holdSign)}::text[])
          WITH ORDINALITY AS s(token, sign, n) JOIN r ON r.token = s.token, LATERAL (
          SELECT org_id, name FROM limit_holds WHERE org_id = r.org_id AND name = r.limit_name
          UNION
          SELECT t.org_id, t.name FROM limit_types t, LATERAL (
            SELECT 1 FROM limit_holds WHERE org_id = t.org_id AND name = t.name OFFSET 0) AS l
          WHERE t.org_id = r.org_id AND t.type = r.type) AS h),
      -- Each end as refused or done begins a new row of failures. Row 0 continues the stored one.
      failures AS (
        SELECT org_id, name, nth, count(*) FILTER (WHERE sign = 'unavailable') AS n, max(started_at) FILTER (WHERE sign = 'done') AS done_from
        FROM signs GROUP BY org_id, name, nth),
      changes AS (
        SELECT org_id, name, coalesce(sum(n) FILTER (WHERE nth = 0), 0)::int AS first, coalesce(max(n) FILTER (WHERE nth > 0), 0) AS longest,
          (array_agg(n ORDER BY nth DESC))[1] AS last, max(nth) > 0 AS is_ended, max(done_from) AS done_from
        FROM failures GROUP BY org_id, name),
      holds AS (
        UPDATE limit_holds h SET
          failures = CASE WHEN h.held_since IS NOT NULL THEN 0 WHEN c.is_ended THEN c.last ELSE h.failures + c.first END,
          held_since = CASE WHEN h.held_since IS NULL AND (h.failures + c.first >= h.after OR c.longest >= h.after)
            THEN date_trunc('milliseconds', clock_timestamp()) END,
          probed_at = NULL
        FROM changes c
        WHERE h.org_id = ANY ((SELECT array_agg(org_id) FROM changes)::uuid[]) AND h.org_id = c.org_id AND h.name = c.name AND CASE WHEN h.held_since IS NULL
          THEN c.first > 0 OR c.longest > 0 OR h.failures > 0 ELSE c.done_from >= h.probed_at END),`;
}
