import type { OrgId } from '@jobline/contracts';
import type { DbSession } from './client.js';

/** A name or number that an organization may send text messages as. */
export interface SenderIdRow {
  id: string;
  senderId: string;
  createdAt: Date;
}

export interface SenderIdCursor {
  createdAt: Date;
  id: string;
}

/** Throws a unique violation when the organization has that one. */
export async function createSenderId(db: DbSession, orgId: OrgId, senderId: string): Promise<SenderIdRow> {
  return db.senderId.create({ data: { senderId, orgId }, omit: { orgId: true } });
}

/** A page of an organization's sender ids, newest first. */
export async function listSenderIds(
  db: DbSession,
  orgId: OrgId,
  page: { limit: number; cursor?: SenderIdCursor | undefined },
): Promise<{ items: SenderIdRow[]; next: SenderIdCursor | null }> {
  const cursorAt = page.cursor?.createdAt.toISOString() ?? 'infinity';
  const cursorId = page.cursor?.id ?? '00000000-0000-0000-0000-000000000000';
  const rows = await db.$queryRaw<SenderIdRow[]>`
    SELECT id, sender_id AS "senderId", created_at AS "createdAt"
    FROM sender_ids WHERE org_id = ${orgId}::uuid AND (created_at, id) < (${cursorAt}::timestamptz, ${cursorId}::uuid)
    ORDER BY created_at DESC, id DESC LIMIT ${page.limit + 1}`;
  const items = rows.slice(0, page.limit);
  const last = items.at(-1);
  return { items, next: last && rows.length > items.length ? { createdAt: last.createdAt, id: last.id } : null };
}

/** Removes a sender id and gives it, or null if the organization has no such one. */
export async function deleteSenderId(db: DbSession, orgId: OrgId, id: string): Promise<string | null> {
  const rows = await db.$queryRaw<{ name: string }[]>`
    DELETE FROM sender_ids WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid RETURNING sender_id AS name`;
  return rows[0]?.name ?? null;
}

/** Whether the organization may send text messages as this. */
export async function isSenderIdRegistered(db: DbSession, orgId: OrgId, senderId: string): Promise<boolean> {
  return (await db.senderId.count({ where: { orgId, senderId } })) > 0;
}
