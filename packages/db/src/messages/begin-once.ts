import type { OrgId } from '@jobline/contracts';
import { type Message, Prisma } from '../generated/client.js';
import { type IdempotencyKey, insertKey, isSameContent } from '../idempotency.js';
import type { DbSession } from '../postgres/client.js';
import type { NewMessage, OnRecord } from './send.js';

export type DirectSend =
  | { kind: 'begun' }
  | { kind: 'suppressed' }
  /** The key was used for a different request. */
  | { kind: 'reused' }
  /** The key already stands for a message. */
  | { kind: 'used'; message: UsedMessage }
  /** The key has just become free: try again. */
  | { kind: 'freed' };

/** The message of an earlier request with the same key. */
export interface UsedMessage extends OnRecord, Pick<Message, 'recipient' | 'sender' | 'subject' | 'segments'> {
  /** Whether its provider has the message. */
  isSent: boolean;
  /** How long the call to its provider has been running; null: there is no call. */
  callingForMs: number | null;
}

/** The value of `calling` for messages without attempts. */
export const DIRECT_CALL = 1;

/**
 * Writes a message that no job sends, and uses the key in the same statement. This happens before the provider is
 * called, so that no crash leaves a call that its key does not know of. Waits for the commit of a concurrent duplicate,
 * not for its call.
 */
export async function beginDirectSend(
  db: DbSession,
  orgId: OrgId,
  message: NewMessage,
  once: IdempotencyKey | null,
): Promise<DirectSend> {
  const { id, channel, provider, recipient, address, sender, subject, body, segments } = message;
  const use = { answer: [], messageId: id };
  const rows = await db.$queryRaw<{ isSuppressed: boolean; isBegun: boolean }[]>`
    WITH t AS (SELECT date_trunc('milliseconds', now()) AS now),
    suppressed AS MATERIALIZED (
      SELECT 1 FROM suppressions WHERE org_id = ${orgId}::uuid AND address = ${address}),
    used AS (
      ${insertKey(orgId, once, use, Prisma.sql`WHERE ${once !== null} AND NOT EXISTS (SELECT FROM suppressed)`)}
      RETURNING message_id),
    begun AS (
      INSERT INTO messages (id, org_id, channel, status, provider, recipient, sender, subject, body, segments,
        calling, called_at, created_at, updated_at)
      SELECT ${id}::uuid, ${orgId}::uuid, ${channel}::message_channel, 'queued', ${provider}, ${recipient}, ${sender},
        ${subject}, ${body}, ${segments}::int, ${DIRECT_CALL}::int, t.now, t.now, t.now
      FROM t WHERE NOT EXISTS (SELECT FROM suppressed) AND (${once === null} OR EXISTS (SELECT FROM used))
      RETURNING id)
    SELECT EXISTS (SELECT FROM suppressed) AS "isSuppressed", EXISTS (SELECT FROM begun) AS "isBegun"`;
  if (rows[0]?.isBegun) return { kind: 'begun' };
  const used = once && (await readUsed(db, orgId, once));
  if (used) return used;
  return rows[0]?.isSuppressed ? { kind: 'suppressed' } : { kind: 'freed' };
}

async function readUsed(db: DbSession, orgId: OrgId, once: IdempotencyKey): Promise<DirectSend | null> {
  const rows = await db.$queryRaw<({ contentHash: Uint8Array; isKept: boolean } & UsedMessage)[]>`
    SELECT k.content_hash AS "contentHash", m.id IS NOT NULL AS "isKept", m.id, m.status::text AS status, m.provider,
      m.provider_message_id AS "providerMessageId", m.recipient, m.sender, m.subject, m.segments,
      m.sent_at IS NOT NULL AS "isSent",
      CASE WHEN m.calling IS NOT NULL
        THEN (extract(epoch FROM clock_timestamp() - m.called_at) * 1000)::float8 END AS "callingForMs"
    FROM idempotency_keys k LEFT JOIN messages m ON m.id = k.message_id AND m.org_id = k.org_id
    WHERE k.org_id = ${orgId}::uuid AND k.key = ${once.key}`;
  const [row] = rows;
  if (!row) return null;
  const { contentHash, isKept, ...message } = row;
  if (!isSameContent(contentHash, once.contentHash)) return { kind: 'reused' };
  if (isKept) return { kind: 'used', message };
  // The message is so old that it was deleted, and the key is about to be.
  await db.idempotencyKey.deleteMany({ where: { orgId, key: once.key, contentHash: once.contentHash } });
  return { kind: 'freed' };
}
