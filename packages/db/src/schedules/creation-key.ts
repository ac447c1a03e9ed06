import type { Json, OrgId } from '@jobline/contracts';
import type { DbSession } from '../postgres/client.js';

/** The minimum time for which a key is kept. */
const KEPT_FOR = '24 hours';

/** An idempotency key, and the hash of everything that its request asks for. */
export interface CreationKey {
  key: string;
  contentHash: Uint8Array<ArrayBuffer>;
}

/** The use of a key by an earlier request. `isSame`: that request had the same content, and got this answer. */
export interface UsedCreationKey {
  isSame: boolean;
  answer: Json;
}

/** A key that has expired may be deleted at the same moment. */
const MAX_TRIES = 3;

/** The earlier use of a key of an organization, or null. */
export async function findCreationKey(
  db: DbSession,
  orgId: OrgId,
  { key, contentHash }: CreationKey,
): Promise<UsedCreationKey | null> {
  const [used] = await db.$queryRaw<{ contentHash: Uint8Array; answer: string }[]>`
    SELECT content_hash AS "contentHash", answer::text AS answer FROM idempotency_keys
    WHERE org_id = ${orgId}::uuid AND key = ${key}`;
  if (!used) return null;
  // The cast: it is stored as JSON.
  return { isSame: Buffer.compare(used.contentHash, contentHash) === 0, answer: JSON.parse(used.answer) as Json };
}

/**
 * Uses a key for a request that creates something other than jobs, with the answer for repeated requests. Returns null, or
 * its earlier use. Waits for a transaction that is using it.
 */
export async function useCreationKey(
  tx: DbSession,
  orgId: OrgId,
  used: CreationKey,
  answer: Json,
): Promise<UsedCreationKey | null> {
  for (let n = 0; n < MAX_TRIES; n++) {
    const made = await tx.$executeRaw`
      INSERT INTO idempotency_keys (org_id, key, content_hash, job_keys, answer, created_at, expires_at)
      SELECT ${orgId}::uuid, ${used.key}, ${used.contentHash}, '{}', ${JSON.stringify(answer)}::json, t.now,
        t.now + ${KEPT_FOR}::interval
      FROM date_trunc('milliseconds', now()) AS t(now)
      ON CONFLICT DO NOTHING`;
    const earlier = made === 1 ? null : await findCreationKey(tx, orgId, used);
    if (made === 1 || earlier) return earlier;
  }
  throw new Error('an idempotency key was deleted each time that it was used');
}
