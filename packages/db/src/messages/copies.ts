import type { OrgId } from '@jobline/contracts';
import { siblingId } from '@jobline/runtime';
import type { DbSession } from '../postgres/client.js';
import type { NewCopy, OnRecord } from './new-message.js';

/** Replaces the copies that the provider is not known to have. Returns one that it has, or null. */
export async function writeCopies(tx: DbSession, id: string, copies: readonly NewCopy[]): Promise<OnRecord | null> {
  const ids = copies.map(({ key }) => siblingId(id, key));
  const rows = await tx.$queryRaw<OnRecord[]>`
    WITH begun AS (
      INSERT INTO messages (id, org_id, channel, status, provider, recipient, sender, subject, calling, called_at,
        created_at, updated_at, copy_of, copied_as)
      SELECT c.id, m.org_id, m.channel, 'queued', m.provider, c.recipient, m.sender, m.subject, m.calling, m.called_at,
        m.created_at, m.updated_at, m.id, c.kind
      FROM messages m, unnest(${ids}::uuid[], ${copies.map(({ recipient }) => recipient)}::text[],
        ${copies.map(({ kind }) => kind)}::copy_kind[]) AS c(id, recipient, kind)
      WHERE m.id = ${id}::uuid
      ON CONFLICT (id) DO NOTHING)
    SELECT id, status::text AS status, provider, provider_message_id AS "providerMessageId"
    FROM messages WHERE copy_of = ${id}::uuid AND sent_at IS NOT NULL LIMIT 1`;
  return rows[0] ?? null;
}

/** Claims the right to send the copies of a message that was sent. Returns the ids of those that no other call of the attempt has. */
export async function claimCopies(tx: DbSession, id: string, attempt: number): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE messages SET calling = ${attempt}, called_at = date_trunc('milliseconds', clock_timestamp())
    WHERE copy_of = ${id}::uuid AND sent_at IS NULL AND status = 'queued' AND coalesce(calling < ${attempt}, true)
    RETURNING id`;
  return rows.map((row) => row.id);
}

/** Those of these addresses to which the organization sends nothing. */
export async function findSuppressed(db: DbSession, orgId: OrgId, addresses: readonly string[]): Promise<Set<string>> {
  const rows = await db.$queryRaw<{ address: string }[]>`
    SELECT a.address FROM unnest(${addresses}::text[]) AS a(address) WHERE EXISTS (
      SELECT 1 FROM suppressions s WHERE s.org_id = ${orgId}::uuid AND s.address = ANY (suppressed_as(${orgId}::uuid, ARRAY[a.address])))`;
  return new Set(rows.map(({ address }) => address));
}
