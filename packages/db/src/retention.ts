import { AUDIT_RETENTION_DAYS } from '@jobline/contracts';
import { JOB_OF } from './messages/messages.js';
import type { DbSession } from './postgres/client.js';
import { FIRST_ID } from './postgres/page.js';

/** The tables whose rows expire: their key, the column with the time, and how long rows are kept after it. */
const EXPIRING = {
  alerts: { key: 'id', time: 'resolved_at', keptDays: 30 },
  // Until then the list shows expired keys.
  api_keys: { key: 'id', time: 'expires_at', keptDays: 30 },
  audit_entries: { key: 'id', time: 'at', keptDays: AUDIT_RETENTION_DAYS },
  erased_hashes: { key: 'hash', time: 'expires_at', keptDays: 0 },
  erasures: { key: 'id', time: 'finished_at', keptDays: AUDIT_RETENTION_DAYS },
  // So long the link of an expired or consumed invite still shows its state.
  invites: { key: 'id', time: 'expires_at', keptDays: 30 },
  password_resets: { key: 'token_hash', time: 'expires_at', keptDays: 0 },
  sessions: { key: 'id', time: 'expires_at', keptDays: 0 },
  webhook_secrets: { key: 'id', time: 'retires_at', keptDays: 0 },
} as const;

export type ExpiringTable = keyof typeof EXPIRING;

/** Deletes at most `limit` expired rows, the oldest first. Returns how many. */
export function deleteExpired(db: DbSession, table: ExpiringTable, limit: number): Promise<number> {
  const { key, time, keptDays } = EXPIRING[table];
  // Safe: the names are those above, and the values are parameters.
  return db.$executeRawUnsafe(
    `DELETE FROM ${table} WHERE ${key} IN (
       SELECT ${key} FROM ${table} WHERE ${time} < now() - $1::int * interval '1 day' ORDER BY ${time} LIMIT $2)`,
    keptDays,
    limit,
  );
}

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
      WHERE (SELECT j.key FROM submitted_jobs j WHERE j.key = ${JOB_OF}) IS NULL FOR UPDATE OF m SKIP LOCKED),
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
