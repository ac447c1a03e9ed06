import type { OrgId } from '@jobline/contracts';
import type { DbSession } from '../postgres/client.js';

/** How the deliveries to a webhook ended that were created in a window of time. */
export interface DeliveryStats {
  webhookId: string;
  /** Every step of the window, oldest first. */
  series: { at: Date; pending: number; delivered: number; failed: number }[];
}

/** Counting so many deliveries of one webhook takes less than 100 ms. */
const COUNTED = 100_000;

/** The counts of each webhook of an organization. Only the latest deliveries of each count: COUNTED of them. */
export async function countDeliveries(
  db: DbSession,
  orgId: OrgId,
  { stepMs, steps }: { stepMs: number; steps: number },
): Promise<DeliveryStats[]> {
  const rows = await db.$queryRaw<{ webhookId: string; series: [number, number, number, number][] }[]>`
    WITH s AS MATERIALIZED (SELECT ${stepMs}::float8 * interval '1 ms' AS step),
    t AS MATERIALIZED (SELECT step, date_bin(step, now(), 'epoch') AS latest FROM s),
    counted AS MATERIALIZED (
      SELECT w.id, date_bin((SELECT step FROM t), d.created_at, 'epoch') AS at, d.status, count(*) AS n
      FROM webhooks w CROSS JOIN LATERAL (
        SELECT created_at, status FROM webhook_deliveries
        WHERE webhook_id = w.id AND created_at >= (SELECT latest - ${steps - 1}::int * step FROM t)
        ORDER BY created_at DESC LIMIT ${COUNTED}) AS d
      WHERE w.org_id = ${orgId}::uuid GROUP BY 1, 2, 3),
    series AS (
      SELECT w.id, w.created_at, g.at, coalesce(sum(c.n) FILTER (WHERE c.status = 'pending'), 0)::int AS pending,
        coalesce(sum(c.n) FILTER (WHERE c.status = 'delivered'), 0)::int AS delivered,
        coalesce(sum(c.n) FILTER (WHERE c.status = 'failed'), 0)::int AS failed
      FROM webhooks w CROSS JOIN t CROSS JOIN generate_series(t.latest - ${steps - 1}::int * t.step, t.latest, t.step) AS g(at)
      LEFT JOIN counted c ON c.id = w.id AND c.at = g.at WHERE w.org_id = ${orgId}::uuid GROUP BY 1, 2, 3)
    SELECT id AS "webhookId",
      json_agg(json_build_array(extract(epoch FROM at) * 1000, pending, delivered, failed) ORDER BY at) AS series
    FROM series GROUP BY id, created_at ORDER BY created_at DESC, id DESC`;
  return rows.map(({ webhookId, series }) => ({
    webhookId,
    series: series.map(([atMs, pending, delivered, failed]) => ({ at: new Date(atMs), pending, delivered, failed })),
  }));
}
