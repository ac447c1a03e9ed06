import type { OrgId, UserId } from '@jobline/contracts';
import type { ApiKey } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import { byCreation, type Page, type PageRequest, toPage, upperBound } from '../postgres/page.js';

/** The data of a key that may be shown; its hash stays in this package. */
export type ApiKeyRow = Pick<ApiKey, 'id' | 'name' | 'prefix' | 'createdAt' | 'createdBy' | 'lastUsedAt'>;

export async function createApiKey(
  db: DbSession,
  orgId: OrgId,
  key: { name: string; prefix: string; hash: Uint8Array; createdBy: UserId },
): Promise<ApiKeyRow> {
  return db.apiKey.create({
    data: { ...key, orgId, hash: Uint8Array.from(key.hash) },
    omit: { orgId: true, hash: true },
  });
}

/** A page of an organization's keys, newest first: all keys, or those that one user created. */
export async function listApiKeys(
  db: DbSession,
  orgId: OrgId,
  page: PageRequest & { createdBy?: string | undefined },
): Promise<Page<ApiKeyRow>> {
  const below = upperBound(page.cursor);
  const createdBy = page.createdBy ?? null;
  const rows = await db.$queryRaw<ApiKeyRow[]>`
    SELECT id, name, prefix, created_at AS "createdAt", created_by AS "createdBy", last_used_at AS "lastUsedAt"
    FROM api_keys WHERE org_id = ${orgId}::uuid AND (created_at, id) < (${below.at}::timestamptz, ${below.id}::uuid)
      AND (${createdBy}::uuid IS NULL OR created_by = ${createdBy}::uuid)
    ORDER BY created_at DESC, id DESC LIMIT ${page.limit + 1}`;
  return toPage(rows, page.limit, byCreation);
}

/** Revokes a key. Returns its hash and name, or null if the organization has no such key. */
export async function deleteApiKey(
  db: DbSession,
  orgId: OrgId,
  id: string,
): Promise<{ hash: Buffer; name: string } | null> {
  const [row] = await db.$queryRaw<{ hash: Uint8Array; name: string }[]>`
    DELETE FROM api_keys WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid RETURNING hash, name`;
  return row ? { hash: Buffer.from(row.hash), name: row.name } : null;
}

export async function findApiKey(db: DbSession, hash: Uint8Array): Promise<{ id: string; orgId: OrgId } | null> {
  const row = await db.apiKey.findUnique({
    where: { hash: Uint8Array.from(hash) },
    select: { id: true, orgId: true },
  });
  // The cast: the column holds organizations' ids.
  return row && { id: row.id, orgId: row.orgId as OrgId };
}

/** Stores that a key was used now, unless any process stored that less than `everyMs` ago. */
export async function noteApiKeyUse(db: DbSession, id: string, everyMs: number): Promise<void> {
  await db.$executeRaw`
    UPDATE api_keys SET last_used_at = now()
    WHERE id = ${id}::uuid AND (last_used_at IS NULL OR last_used_at < now() - ${everyMs} * interval '1 ms')`;
}
