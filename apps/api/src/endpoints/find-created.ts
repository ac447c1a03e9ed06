import type { JsonObject, OrgId } from '@jobline/contracts';
import { type DbSession, useCreationKey } from '@jobline/db';
import { keyReused, requestKey } from '@jobline/engine';
import { notFound } from '../http/errors.js';

/** A request that creates something with an id. */
export interface Creation {
  endpoint: string;
  /** What the request asks for. */
  content: JsonObject;
  idempotencyKey: string | undefined;
  /** The id for what it creates. */
  id: string;
}

/**
 * What an earlier request with the idempotency key has created, or null: then the key stands for this request. Throws AppError
 * `idempotency_key_reused` if the earlier request differed, and `not_found` if what it created was deleted.
 */
export async function findCreated<T>(
  tx: DbSession,
  orgId: OrgId,
  { endpoint, content, idempotencyKey, id }: Creation,
  find: (tx: DbSession, orgId: OrgId, id: string) => Promise<T | null>,
): Promise<T | null> {
  const key = requestKey(endpoint, idempotencyKey, () => content);
  const used = key && (await useCreationKey(tx, orgId, key, { id }));
  if (!used) return null;
  if (!used.isSame) throw keyReused();
  // The cast: the answer was stored above, and the hash contains the endpoint.
  const created = await find(tx, orgId, (used.answer as { id: string }).id);
  if (!created) throw notFound();
  return created;
}
