import type { OrgId, SenderIdStatus } from '@jobline/contracts';
import type { SenderId } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import { byCreation, type Page, type PageRequest, toPage, upperBound } from '../postgres/page.js';

/** A name or number that an organization may use as the sender of text messages, once it is approved. */
export type SenderIdRow = Pick<SenderId, 'id' | 'senderId' | 'status' | 'createdAt'>;

/**
 * Null, and nothing done, if another organization has the same one, compared without case, pending or approved. Throws
 * a unique violation if the organization itself has exactly that one. Call it in a transaction.
 */
export async function createSenderId(
  tx: DbSession,
  orgId: OrgId,
  { senderId, status }: { senderId: string; status: SenderIdStatus },
): Promise<SenderIdRow | null> {
  // The lock that the table's trigger takes too: of two simultaneous requests, the second sees the row of the first.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('sender_id:' || lower(${senderId}), 0))`;
  const others = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM sender_ids WHERE lower(sender_id) = lower(${senderId}) AND org_id <> ${orgId}::uuid LIMIT 1`;
  if (others.length > 0) return null;
  return tx.senderId.create({ data: { senderId, status, orgId }, omit: { orgId: true } });
}

/** A page of an organization's sender ids, newest first. */
export async function listSenderIds(db: DbSession, orgId: OrgId, page: PageRequest): Promise<Page<SenderIdRow>> {
  const below = upperBound(page.cursor);
  const rows = await db.$queryRaw<SenderIdRow[]>`
    SELECT id, sender_id AS "senderId", status::text AS status, created_at AS "createdAt"
    FROM sender_ids WHERE org_id = ${orgId}::uuid AND (created_at, id) < (${below.at}::timestamptz, ${below.id}::uuid)
    ORDER BY created_at DESC, id DESC LIMIT ${page.limit + 1}`;
  return toPage(rows, page.limit, byCreation);
}

/** Removes a sender id. Returns its name, or null if the organization has no such one. */
export async function deleteSenderId(db: DbSession, orgId: OrgId, id: string): Promise<string | null> {
  const rows = await db.$queryRaw<{ name: string }[]>`
    DELETE FROM sender_ids WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid RETURNING sender_id AS name`;
  return rows[0]?.name ?? null;
}

/** Whether the organization may send text messages with this sender. */
export async function isSenderIdRegistered(db: DbSession, orgId: OrgId, senderId: string): Promise<boolean> {
  return (await db.senderId.count({ where: { orgId, senderId, status: 'approved' } })) > 0;
}
