import type { JobKey, JobStatus, Json, OrgId } from '@jobline/contracts';
import { Prisma } from './generated/client.js';
import type { Db, DbSession } from './postgres/client.js';
import { retryDeadlocks } from './postgres/errors.js';

/** An idempotency key, and the hash of everything that its request asks for. */
export interface IdempotencyKey {
  key: string;
  contentHash: Uint8Array<ArrayBuffer>;
}

/** The minimum time for which a key is kept. */
const KEPT_FOR = '24 hours';
/** A key that has expired may be deleted at the same moment. */
const MAX_TRIES = 3;
/** Time limits of a transaction: for its wait for a connection, and for its duration. */
const LIMITS = { maxWait: 5_000, timeout: 15_000 };

/**
 * SQL: uses a key, unless it was used before. Waits for a transaction that is using it. `t` has the column `now`; `condition`
 * is the end of the query of `t`.
 */
export function insertKey(
  orgId: OrgId,
  used: IdempotencyKey | null,
  { jobKeys = [], answer, messageId = null }: { jobKeys?: (JobKey | null)[]; answer: Json; messageId?: string | null },
  condition = Prisma.empty,
): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO idempotency_keys (org_id, key, content_hash, job_keys, answer, message_id, created_at, expires_at)
    SELECT ${orgId}::uuid, ${used?.key ?? null}, ${used?.contentHash ?? null}::bytea, ${jobKeys}::uuid[],
      ${JSON.stringify(answer)}::json, ${messageId}::uuid, t.now, t.now + ${KEPT_FOR}::interval
    FROM t ${condition}
    ON CONFLICT DO NOTHING`;
}

function insertKeyNow(tx: DbSession, ...use: Parameters<typeof insertKey>): Promise<number> {
  return tx.$executeRaw`WITH t AS (SELECT date_trunc('milliseconds', now()) AS now) ${insertKey(...use)}`;
}

export function isSameContent(one: Uint8Array | null | undefined, other: Uint8Array | null): boolean {
  return one != null && other != null && Buffer.compare(one, other) === 0;
}

/** The answer for one job of a request, to be stored with its key. */
export interface JobAnswer {
  /** Null: the job was rejected. */
  key: JobKey | null;
  answer: Json;
}

/** The key of a request for jobs was used before. */
export interface UsedKey {
  kind: 'used';
  /** Whether the earlier request had the same content; otherwise there are no answers. */
  isSame: boolean;
  /** With the current or the last status of each job. `error`: JSON text, if the job was rejected; then only this is set. */
  answers: { id: string; status: JobStatus; error: string | null }[];
}

/**
 * Uses the key of a request for jobs. Null: it was not used before. `busy`: it has just expired and was deleted. Waits for a
 * transaction that is using it.
 */
export async function useJobsKey(
  tx: DbSession,
  orgId: OrgId,
  used: IdempotencyKey,
  answers: readonly JobAnswer[],
): Promise<UsedKey | { kind: 'busy' } | null> {
  const jobKeys = answers.map(({ key }) => key);
  const made = await insertKeyNow(tx, orgId, used, { jobKeys, answer: answers.map(({ answer }) => answer) });
  return made === 1 ? null : ((await readUsed(tx, orgId, used)) ?? { kind: 'busy' });
}

/** Replaces the stored answers of a key that this transaction uses. */
export async function correctJobsKey(
  tx: DbSession,
  orgId: OrgId,
  { key }: IdempotencyKey,
  answers: readonly JobAnswer[],
): Promise<void> {
  const answer = JSON.stringify(answers.map((one) => one.answer));
  await tx.$executeRaw`
    UPDATE idempotency_keys SET job_keys = ${answers.map((one) => one.key)}::uuid[], answer = ${answer}::json
    WHERE org_id = ${orgId}::uuid AND key = ${key}`;
}

/** The use of a key by an earlier request for jobs, or null. */
export function findUsedKey(db: Db, orgId: OrgId, key: IdempotencyKey): Promise<UsedKey | null> {
  return retryDeadlocks(() => db.$transaction((tx) => readUsed(tx, orgId, key), LIMITS));
}

/** The lock keeps a key that has expired from being deleted before its answers are read. */
async function readUsed(tx: DbSession, orgId: OrgId, { key, contentHash }: IdempotencyKey): Promise<UsedKey | null> {
  const [used] = await tx.$queryRaw<{ contentHash: Uint8Array }[]>`
    SELECT content_hash AS "contentHash" FROM idempotency_keys
    WHERE org_id = ${orgId}::uuid AND key = ${key} FOR KEY SHARE`;
  if (!used) return null;
  if (!isSameContent(used.contentHash, contentHash)) return { kind: 'used', isSame: false, answers: [] };
  const answers = await tx.$queryRaw<UsedKey['answers']>`
    SELECT e.value->>'id' AS id, coalesce(j.status::text, d.status::text, e.value->>'status') AS status,
      e.value->>'error' AS error
    FROM idempotency_keys k,
      ROWS FROM (unnest(k.job_keys), json_array_elements(k.answer)) WITH ORDINALITY AS e(job_key, value, place)
      LEFT JOIN jobs j ON j.key = e.job_key LEFT JOIN deleted_statuses d ON d.key = e.job_key
    WHERE k.org_id = ${orgId}::uuid AND k.key = ${key} ORDER BY e.place`;
  return { kind: 'used', isSame: true, answers };
}

/** The use of a key by an earlier request. `isSame`: that request had the same content, and got this answer. */
export interface UsedCreationKey {
  isSame: boolean;
  answer: Json;
}

/** The earlier use of a key of an organization, or null. */
export async function findCreationKey(
  db: DbSession,
  orgId: OrgId,
  { key, contentHash }: IdempotencyKey,
): Promise<UsedCreationKey | null> {
  const [used] = await db.$queryRaw<{ contentHash: Uint8Array; answer: string }[]>`
    SELECT content_hash AS "contentHash", answer::text AS answer FROM idempotency_keys
    WHERE org_id = ${orgId}::uuid AND key = ${key}`;
  if (!used) return null;
  // The cast: it is stored as JSON.
  return { isSame: isSameContent(used.contentHash, contentHash), answer: JSON.parse(used.answer) as Json };
}

/**
 * Uses a key for a request that creates something other than jobs, with the answer for repeated requests. Returns null, or
 * its earlier use. Waits for a transaction that is using it.
 */
export async function useCreationKey(
  tx: DbSession,
  orgId: OrgId,
  used: IdempotencyKey,
  answer: Json,
): Promise<UsedCreationKey | null> {
  for (let n = 0; n < MAX_TRIES; n++) {
    const made = await insertKeyNow(tx, orgId, used, { answer });
    const earlier = made === 1 ? null : await findCreationKey(tx, orgId, used);
    if (made === 1 || earlier) return earlier;
  }
  throw new Error('an idempotency key was deleted each time that it was used');
}
