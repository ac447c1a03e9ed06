import type { DbSession } from '../postgres/client.js';
import { FIRST_ID } from '../postgres/page.js';

/**
 * Examines the next page, by id, of the messages that are older than `days`, and deletes them with their events; a
 * message whose job is kept stays. `after` is the result of the previous page: where the next one begins, null after
 * the last. Ids begin with the time, so the primary key alone finds them, and every page costs the same.
 */
export async function deleteExpiredMessages(
  db: DbSession,
  { after, days, limit }: { after: string | null; days: number; limit: number },
): Promise<string | null> {
  // A subquery instead of a join: each message's job is looked up by its key; a join may read the keys of all jobs.
  const rows = await db.$queryRaw<{ count: number; last: string | null }[]>`
    WITH bound AS MATERIALIZED (
      SELECT (lpad(to_hex(floor(extract(epoch FROM now() - ${days}::int * interval '1 day') * 1000)::bigint), 12, '0')
        || repeat('0', 20))::uuid AS id),
    page AS MATERIALIZED (
      SELECT id FROM messages WHERE id > ${after ?? FIRST_ID}::uuid AND id < (SELECT id FROM bound) ORDER BY id LIMIT ${limit}),
    old AS MATERIALIZED (
      SELECT m.id FROM page JOIN messages m ON m.id = page.id
      WHERE (SELECT j.key FROM submitted_jobs j WHERE j.key = m.job_key) IS NULL FOR UPDATE OF m SKIP LOCKED),
    events AS (DELETE FROM message_events e USING old WHERE e.message_id = old.id),
    gone AS (DELETE FROM messages m USING old WHERE m.id = old.id)
    SELECT count(*)::int AS count, (array_agg(id ORDER BY id DESC))[1] AS last FROM page`;
  const { count = 0, last = null } = rows[0] ?? {};
  return count === limit ? last : null;
}

/** Deletes at most `limit` old events of messages that do not exist here. Returns how many. */
export function deleteExpiredMessageEvents(
  db: DbSession,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  return db.$executeRaw`
    DELETE FROM message_events WHERE id IN (
      SELECT id FROM message_events
      WHERE message_id IS NULL AND received_at < now() - ${days}::int * interval '1 day' LIMIT ${limit})`;
}
