import type { DbSession } from '../postgres/client.js';
import type { OnRecord } from './begin.js';
import { applyEvents } from './feedback.js';

/** The call to a provider that an outcome belongs to. */
export interface ProviderCall {
  id: string;
  /** The value of the column `calling`: the attempt for the message of a job, else 1. */
  calling: number;
  /** The key of the request that makes the call. */
  idempotencyKey?: string | undefined;
}

/** How a call failed. */
export interface CallFailure {
  /** `unknown`: it is not known whether the provider has the message. */
  kind: 'refused' | 'unknown';
  code: string;
  message: string;
}

/**
 * The provider has the message: queued → sent, unless feedback has raised the status further. Feedback that arrived
 * before the provider's id was stored is applied. Null: the job's next attempt has begun its own call meanwhile, and
 * nothing was written.
 */
export async function recordSent(
  db: DbSession,
  { id, calling }: ProviderCall,
  providerMessageId: string | null,
): Promise<OnRecord | null> {
  const rows = await db.$queryRaw<OnRecord[]>`
    UPDATE messages SET status = greatest(status, 'sent'), calling = NULL,
      provider_message_id = coalesce(${providerMessageId}, provider_message_id),
      error_code = CASE WHEN sent_at IS NULL THEN NULL ELSE error_code END,
      error_message = CASE WHEN sent_at IS NULL THEN NULL ELSE error_message END,
      sent_at = coalesce(sent_at, date_trunc('milliseconds', clock_timestamp())),
      updated_at = date_trunc('milliseconds', clock_timestamp())
    WHERE id = ${id}::uuid AND (calling = ${calling} OR job_key IS NULL)
    RETURNING id, status::text AS status, provider, provider_message_id AS "providerMessageId"`;
  const [message] = rows;
  if (!message || providerMessageId === null) return message ?? null;
  // A separate, later statement: feedback that is written meanwhile is either seen here, or sees the id.
  const early = await db.$queryRaw<{ eventId: string }[]>`
    SELECT event_id AS "eventId" FROM message_events
    WHERE provider = ${message.provider} AND provider_message_id = ${providerMessageId} AND message_id IS NULL`;
  if (early.length === 0) return message;
  const eventIds = early.map(({ eventId }) => eventId);
  await applyEvents(db, message.provider, eventIds);
  const [raised] = await db.$queryRaw<OnRecord[]>`
    SELECT id, status::text AS status, provider, provider_message_id AS "providerMessageId"
    FROM messages WHERE id = ${id}::uuid`;
  return raised ?? message;
}

/**
 * The call failed. A refused call makes the message `failed` until another call begins, and frees the idempotency key
 * of its request. An unknown outcome leaves the status, and is stored as its error. Feedback has priority: a message
 * that its provider has is not changed. Returns the message if its provider has it after all.
 */
export async function recordFailure(
  db: DbSession,
  { id, calling, idempotencyKey }: ProviderCall,
  { kind, code, message }: CallFailure,
): Promise<OnRecord | null> {
  const rows = await db.$queryRaw<(OnRecord & { isSent: boolean })[]>`
    WITH f AS (
      UPDATE messages SET calling = NULL, updated_at = date_trunc('milliseconds', clock_timestamp()),
        status = CASE WHEN sent_at IS NULL AND ${kind} = 'refused' THEN 'failed' ELSE status END,
        error_code = CASE WHEN sent_at IS NULL THEN ${code} ELSE error_code END,
        error_message = CASE WHEN sent_at IS NULL THEN ${message} ELSE error_message END
      WHERE id = ${id}::uuid AND calling = ${calling}
      RETURNING id, org_id, status::text AS status, provider, provider_message_id, sent_at),
    freed AS (
      DELETE FROM idempotency_keys k USING f
      WHERE k.org_id = f.org_id AND k.key = ${idempotencyKey ?? null} AND k.message_id = f.id AND f.sent_at IS NULL
        AND ${kind} = 'refused')
    SELECT id, status, provider, provider_message_id AS "providerMessageId", sent_at IS NOT NULL AS "isSent" FROM f`;
  const [row] = rows;
  if (!row?.isSent) return null;
  const { isSent: _, ...onRecord } = row;
  return onRecord;
}
