import { type MessageStatus, REDACTED, type SuppressionReason } from '@jobline/contracts';
import type { DbSession } from '../postgres/client.js';
import { retryDeadlocks } from '../postgres/errors.js';

/** A provider's report about a message. */
export interface NewMessageEvent {
  eventId: string;
  messageId: string | null;
  providerMessageId: string | null;
  kind: string;
  status: MessageStatus | null;
  reason: string | null;
  suppresses: SuppressionReason | null;
  occurredAt: Date | null;
}

/** Stores those events that are not stored already, but for those about erased messages. Their ids must differ. Returns how many are new. */
export async function keepEvents(db: DbSession, provider: string, events: readonly NewMessageEvent[]): Promise<number> {
  // A fixed order, so that two statements with the same events wait for each other and do not deadlock.
  const sorted = [...events].sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
  const column = <K extends keyof NewMessageEvent>(name: K) => sorted.map((event) => event[name]);
  return db.$executeRaw`
    INSERT INTO message_events (provider, event_id, named_id, provider_message_id, kind, status, reason, suppresses,
      occurred_at, received_at)
    SELECT ${provider}, e.event_id, e.named_id, e.provider_message_id, e.kind, e.status, e.reason, e.suppresses,
      e.occurred_at, date_trunc('milliseconds', now())
    FROM unnest(${column('eventId')}::text[], ${column('messageId')}::uuid[], ${column('providerMessageId')}::text[],
        ${column('kind')}::text[], ${column('status')}::message_status[], ${column('reason')}::text[],
        ${column('suppresses')}::suppression_reason[], ${sorted.map(({ occurredAt }) => occurredAt?.toISOString() ?? null)}::timestamptz[])
      AS e(event_id, named_id, provider_message_id, kind, status, reason, suppresses, occurred_at)
    WHERE NOT EXISTS (
      SELECT 1 FROM erased_hashes h
      WHERE h.hash IN (keyed_hash('message:' || e.named_id), keyed_hash('message:' || ${provider} || ':' || e.provider_message_id)))
    ON CONFLICT DO NOTHING`;
}

/**
 * Applies stored events to their messages, each once: the highest rank counts, whatever the order, and hard bounces and
 * complaints suppress their recipients, unless these are redacted. Events of unknown messages stay as they are. The
 * messages are locked first and in a fixed order; only the holder of the message's lock changes an event. Returns how
 * many events belong to no known message. With IS NULL in the condition, the planner would assume that the index of
 * unmatched events is nearly empty, and read all of it.
 */
export async function applyEvents(db: DbSession, provider: string, eventIds: readonly string[]): Promise<number> {
  const rows = await retryDeadlocks(
    () => db.$queryRaw<{ unknown: number }[]>`
      WITH pending AS MATERIALIZED (
        SELECT id, named_id, provider_message_id FROM message_events
        WHERE provider = ${provider} AND event_id = ANY(${eventIds}::text[]) AND num_nulls(message_id) = 1),
      found AS MATERIALIZED (
        SELECT p.id, m.id AS message_id FROM pending p CROSS JOIN LATERAL (
          SELECT id FROM messages WHERE id = p.named_id AND provider = ${provider}
          UNION ALL
          -- An event that names another message is not about this one. All copies have the same id of the provider.
          SELECT id FROM messages WHERE provider = ${provider} AND provider_message_id = p.provider_message_id
            AND p.named_id IS NULL AND copy_of IS NULL
          LIMIT 1) AS m),
      locked AS MATERIALIZED (
        SELECT id FROM messages WHERE id IN (SELECT message_id FROM found) ORDER BY id FOR UPDATE),
      linked AS (
        UPDATE message_events e SET message_id = f.message_id
        FROM found f JOIN locked l ON l.id = f.message_id WHERE e.id = f.id AND e.message_id IS NULL
        RETURNING e.id, e.message_id, e.kind, e.status, e.reason, e.suppresses, e.provider_message_id),
      reported AS (
        SELECT message_id, greatest(max(status), 'sent') AS status, max(suppresses) AS suppresses, max(provider_message_id) AS provider_message_id,
          (array_agg(coalesce(reason, kind) ORDER BY status DESC NULLS LAST, id))[1] AS reason
        FROM linked GROUP BY message_id),
      raised AS (
        UPDATE messages m SET status = greatest(m.status, t.status),
          sent_at = coalesce(m.sent_at, now()), provider_message_id = coalesce(m.provider_message_id, t.provider_message_id),
          error_code = CASE WHEN t.status <= m.status THEN m.error_code WHEN t.status = 'failed' THEN 'provider_rejected'
            WHEN t.status > 'delivered' THEN t.status::text END,
          error_message = CASE WHEN t.status <= m.status THEN m.error_message
            WHEN t.status = 'failed' OR t.status > 'delivered' THEN t.reason END,
          updated_at = CASE WHEN t.status > m.status
            THEN date_trunc('milliseconds', clock_timestamp()) ELSE m.updated_at END
        FROM reported t WHERE m.id = t.message_id
        RETURNING m.id, m.org_id, m.recipient, t.suppresses),
      suppressed AS (
        INSERT INTO suppressions (org_id, address, reason, message_id, created_at)
        SELECT DISTINCT ON (org_id, lower(recipient)) org_id, lower(recipient), suppresses, id,
          date_trunc('milliseconds', now())
        FROM raised WHERE suppresses IS NOT NULL AND recipient <> ${REDACTED}
        ORDER BY org_id, lower(recipient), suppresses DESC, id
        ON CONFLICT (org_id, address) DO UPDATE SET reason = greatest(suppressions.reason, excluded.reason))
      SELECT ((SELECT count(*) FROM pending) - (SELECT count(*) FROM found))::int AS unknown`,
  );
  return rows[0]?.unknown ?? 0;
}
