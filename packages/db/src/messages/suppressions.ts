import type { OrgId, SuppressionReason } from '@jobline/contracts';
import type { DbSession } from '../postgres/client.js';

export interface SuppressionRow {
  id: string;
  address: string;
  reason: SuppressionReason;
  createdAt: Date;
}

export interface SuppressionCursor {
  createdAt: Date;
  id: string;
}

/** A page of the addresses that an organization sends nothing to, newest first. */
export async function listSuppressions(
  db: DbSession,
  orgId: OrgId,
  page: { limit: number; cursor?: SuppressionCursor | undefined },
): Promise<{ items: SuppressionRow[]; next: SuppressionCursor | null }> {
  const cursorAt = page.cursor?.createdAt.toISOString() ?? 'infinity';
  const cursorId = page.cursor?.id ?? '00000000-0000-0000-0000-000000000000';
  const rows = await db.$queryRaw<SuppressionRow[]>`
    SELECT id, address, reason, created_at AS "createdAt"
    FROM suppressions WHERE org_id = ${orgId}::uuid AND (created_at, id) < (${cursorAt}::timestamptz, ${cursorId}::uuid)
    ORDER BY created_at DESC, id DESC LIMIT ${page.limit + 1}`;
  const items = rows.slice(0, page.limit);
  const last = items.at(-1);
  return { items, next: last && rows.length > items.length ? { createdAt: last.createdAt, id: last.id } : null };
}

/** Lets an address be written to again and gives it, or null if the organization has no such suppression. */
export async function deleteSuppression(db: DbSession, orgId: OrgId, id: string): Promise<string | null> {
  const rows = await db.$queryRaw<{ name: string }[]>`
    DELETE FROM suppressions WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid RETURNING address AS name`;
  return rows[0]?.name ?? null;
}
