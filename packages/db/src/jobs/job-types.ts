import type { DbSession } from '../postgres/client.js';

/** Maximum age of a type's `last_seen_at` while its workers live, approximately. */
export const TYPE_SEEN_EVERY_MS = 60_000;

/**
 * Stores for the types of all registered workers when the workers were last seen: one write per minute and type. Called
 * by one worker at a time.
 */
export async function recordTypesSeen(db: DbSession): Promise<void> {
  await db.$executeRaw`
    INSERT INTO job_types AS k (type, queue, last_seen_at)
    SELECT DISTINCT ON (n.type) n.type, coalesce(n.queue, w.queues[1]), w.heartbeat_at
    FROM workers w, unnest(w.types, w.type_queues) AS n(type, queue)
    WHERE n.type IS NOT NULL AND coalesce(n.queue, w.queues[1]) IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM job_types s WHERE s.type = n.type AND s.last_seen_at >=
        least(w.heartbeat_at, clock_timestamp() - ${TYPE_SEEN_EVERY_MS} * interval '1 ms'))
    ORDER BY n.type, w.heartbeat_at DESC
    ON CONFLICT (type) DO UPDATE SET queue = excluded.queue,
      last_seen_at = greatest(k.last_seen_at, excluded.last_seen_at)`;
}

/**
 * Job type → queue, as live workers have published it (the latest where they differ), else as the last worker with the
 * type did.
 */
export async function listRoutes(db: DbSession): Promise<ReadonlyMap<string, string>> {
  const rows = await db.$queryRaw<{ type: string; queue: string }[]>`
    SELECT type, queue FROM (
      SELECT type, queue, '-infinity'::timestamptz AS at FROM job_types
      UNION ALL
      SELECT t.type, t.queue, w.started_at FROM workers w, unnest(w.types, w.type_queues) AS t(type, queue)
      WHERE t.type IS NOT NULL AND t.queue IS NOT NULL) AS r
    ORDER BY at`;
  return new Map(rows.map(({ type, queue }) => [type, queue]));
}
