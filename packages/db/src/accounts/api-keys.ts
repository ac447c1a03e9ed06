import type { OrgId, Scope, UserId } from '@jobline/contracts';
import { newId } from '@jobline/runtime';
import { type ApiKey, Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import { type Page, type PageRequest, readShortPage } from '../postgres/page.js';

/** The data of a key that may be shown; its hash stays in this package. */
export interface ApiKeyRow
  extends Pick<
      ApiKey,
      'id' | 'name' | 'prefix' | 'createdAt' | 'createdBy' | 'lastUsedAt' | 'expiresAt' | 'replacedBy'
    >,
    KeyAccess {}

/** What a key may do. */
export interface KeyAccess {
  scopes: Scope[];
  /** The job types that it may submit and see, in alphabetical order; null: all. */
  types: string[] | null;
}

/** SQL: the columns of an ApiKeyRow. The types are read as JSON: the driver reads large arrays much more slowly. */
const COLUMNS = Prisma.sql`id, name, prefix, created_at AS "createdAt", created_by AS "createdBy", last_used_at AS "lastUsedAt",
  expires_at AS "expiresAt", replaced_by AS "replacedBy", scopes, to_json(types) AS types`;

export interface NewKeyRow extends KeyAccess {
  name: string;
  prefix: string;
  hash: Uint8Array;
  createdBy: UserId;
  expiresAt: Date | null;
}

export async function createApiKey(db: DbSession, orgId: OrgId, key: NewKeyRow): Promise<ApiKeyRow> {
  const [row] = await db.$queryRaw<ApiKeyRow[]>`
    INSERT INTO api_keys (id, org_id, name, prefix, hash, created_by, expires_at, scopes, types)
    VALUES (${newId()}::uuid, ${orgId}::uuid, ${key.name}, ${key.prefix}, ${Buffer.from(key.hash)}, ${key.createdBy}::uuid,
      ${key.expiresAt?.toISOString() ?? null}::timestamptz, ${key.scopes}::text[], ${key.types}::text[])
    RETURNING ${COLUMNS}`;
  if (!row) throw new Error('an API key was not stored');
  return row;
}

/** Locks a key until the end of the transaction. Null: the organization has no such key. */
export async function lockApiKey(
  tx: DbSession,
  orgId: OrgId,
  id: string,
): Promise<(ApiKeyRow & { isExpired: boolean }) | null> {
  const [row] = await tx.$queryRaw<(ApiKeyRow & { isExpired: boolean })[]>`
    SELECT ${COLUMNS}, coalesce(expires_at <= now(), false) AS "isExpired"
    FROM api_keys WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid FOR UPDATE`;
  return row ?? null;
}

/** Changes a key that the transaction has locked. Returns it, with its hash. */
export async function updateApiKey(
  tx: DbSession,
  id: string,
  { name, scopes, types, expiresAt }: Pick<NewKeyRow, 'name' | 'scopes' | 'types' | 'expiresAt'>,
): Promise<{ row: ApiKeyRow; hash: Buffer }> {
  const [changed] = await tx.$queryRaw<(ApiKeyRow & { hash: Uint8Array })[]>`
    UPDATE api_keys SET name = ${name}, scopes = ${scopes}::text[], types = ${types}::text[],
      expires_at = ${expiresAt?.toISOString() ?? null}::timestamptz
    WHERE id = ${id}::uuid RETURNING ${COLUMNS}, hash`;
  if (!changed) throw new Error('an API key was deleted while it was locked');
  const { hash, ...row } = changed;
  return { row, hash: Buffer.from(hash) };
}

/** Ends a key after some hours, or at its own expiry if that is earlier. Returns its hash. */
export async function replaceApiKey(
  tx: DbSession,
  id: string,
  { by, overlapHours }: { by: string; overlapHours: number },
): Promise<Buffer> {
  const [row] = await tx.$queryRaw<{ hash: Uint8Array }[]>`
    UPDATE api_keys SET replaced_by = ${by}::uuid,
      expires_at = least(expires_at, date_trunc('milliseconds', clock_timestamp()) + ${overlapHours}::int * interval '1 hour')
    WHERE id = ${id}::uuid RETURNING hash`;
  if (!row) throw new Error('an API key was deleted while it was locked');
  return Buffer.from(row.hash);
}

/** A page of an organization's keys, newest first: all keys, or those that one user created. It ends early if they have many types. */
export function listApiKeys(
  db: DbSession,
  orgId: OrgId,
  page: PageRequest & { createdBy?: string | undefined },
): Promise<Page<ApiKeyRow>> {
  const createdBy = page.createdBy ?? null;
  return readShortPage(db, page, {
    columns: COLUMNS,
    from: Prisma.sql`api_keys WHERE org_id = ${orgId}::uuid AND (${createdBy}::uuid IS NULL OR created_by = ${createdBy}::uuid)`,
    bytes: Prisma.sql`coalesce(octet_length(array_to_string(types, '')), 0)`,
  });
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

/** The key with this hash, which may have expired, or null. */
export async function findApiKey(
  db: DbSession,
  hash: Uint8Array,
): Promise<(KeyAccess & { id: string; orgId: OrgId; expiresAt: Date | null }) | null> {
  const [row] = await db.$queryRaw<(KeyAccess & { id: string; orgId: OrgId; expiresAt: Date | null })[]>`
    SELECT id, org_id AS "orgId", scopes, types, expires_at AS "expiresAt" FROM api_keys WHERE hash = ${Buffer.from(hash)}`;
  return row ?? null;
}

/** Stores that a key was used now, unless any process stored that less than `everyMs` ago. */
export async function noteApiKeyUse(db: DbSession, id: string, everyMs: number): Promise<void> {
  await db.$executeRaw`
    UPDATE api_keys SET last_used_at = now()
    WHERE id = ${id}::uuid AND (last_used_at IS NULL OR last_used_at < now() - ${everyMs} * interval '1 ms')`;
}
