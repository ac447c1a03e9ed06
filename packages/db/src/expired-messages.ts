import type { DbSession } from './client.js';

/**
 * Deletes messages that are older than `days`, oldest first and `limit` at most, with what was told of them; one whose
 * job is kept stays with it. Answers with how many. Their ids begin with the time, so the primary key alone finds them.
 */
export function deleteExpiredMessages(
  db: DbSession,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  return db.$executeRaw`
    WITH bound AS MATERIALIZED (
      SELECT (lpad(to_hex(floor(extract(epoch FROM now() - ${days}::int * interval '1 day') * 1000)::bigint), 12, '0')
        || repeat('0', 20))::uuid AS id),
    old AS MATERIALIZED (
      SELECT id FROM messages m WHERE id < (SELECT id FROM bound)
        AND (job_key IS NULL OR NOT EXISTS (SELECT 1 FROM jobs j WHERE j.key = m.job_key))
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED),
    events AS (DELETE FROM message_events e USING old WHERE e.message_id = old.id)
    DELETE FROM messages m USING old WHERE m.id = old.id`;
}

/** Deletes what was told so long ago of messages that nobody knows, `limit` at most. Answers with how many. */
export function deleteExpiredMessageEvents(
  db: DbSession,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  return db.$executeRaw`
    DELETE FROM message_events WHERE id IN (
      SELECT id FROM message_events
      WHERE message_id IS NULL AND received_at < now() - ${days}::int * interval '1 day' LIMIT ${limit})`;
}
