import type { OrgId } from '@jobline/contracts';
import type { Suppression } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import { byCreation, type Page, type PageRequest, toPage, upperBound } from '../postgres/page.js';

export type SuppressionRow = Pick<Suppression, 'id' | 'address' | 'reason' | 'createdAt'>;

/** A page of the addresses to which an organization sends nothing, newest first. */
export async function listSuppressions(db: DbSession, orgId: OrgId, page: PageRequest): Promise<Page<SuppressionRow>> {
  const below = upperBound(page.cursor);
  const rows = await db.$queryRaw<SuppressionRow[]>`
    SELECT id, address, reason, created_at AS "createdAt"
    FROM suppressions WHERE org_id = ${orgId}::uuid AND (created_at, id) < (${below.at}::timestamptz, ${below.id}::uuid)
    ORDER BY created_at DESC, id DESC LIMIT ${page.limit + 1}`;
  return toPage(rows, page.limit, byCreation);
}

/** Lifts a suppression. Returns its address, or null if the organization has no such suppression. */
export async function deleteSuppression(db: DbSession, orgId: OrgId, id: string): Promise<string | null> {
  const rows = await db.$queryRaw<{ name: string }[]>`
    DELETE FROM suppressions WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid RETURNING address AS name`;
  return rows[0]?.name ?? null;
}
