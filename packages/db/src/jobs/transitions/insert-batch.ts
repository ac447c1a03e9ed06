import type { JobKey, JobStatus, Json, OrgId } from '@jobline/contracts';
import type { Db, DbSession } from '../../postgres/client.js';
import { isLockTimeout, retryDeadlocks } from '../../postgres/errors.js';
import { findSubmitted, type InsertedJob, insertJobsIn, type NewJob, type SubmittedRow } from './insert.js';

/** An idempotency key, and the hash of everything that its request asks for. */
export interface IdempotencyKey {
  key: string;
  contentHash: Uint8Array<ArrayBuffer>;
}

/**
 * The result of a batch insert. `inserted` are the jobs that were stored now; it is empty unless the kind is `stored`.
 */
export type BatchInsertResult =
  | { kind: 'stored'; inserted: InsertedJob[]; existing: SubmittedRow[] }
  /** The ids of `jobs` belong to stored jobs with different content. */
  | { kind: 'taken'; jobs: readonly NewJob[] }
  | UsedKey
  /** Another transaction is using the key or one of the ids and takes too long, or has just deleted the job with the id. */
  | { kind: 'busy' };

/** The key was used before. `isSame`: for a request with the same content; otherwise the answer is empty. */
export interface UsedKey {
  kind: 'used';
  isSame: boolean;
  answer: Answered[];
}

/** The stored response for one job, with its current or its last status. */
export interface Answered {
  id: string;
  status: JobStatus;
  /** JSON text of the error instead of a job, if the job was rejected. Then there is no id and no status. */
  error: string | null;
}

/** The response for one job of a request, to be stored. */
export interface KeyAnswer {
  /** Null: the job was rejected. */
  key: JobKey | null;
  answer: Json;
}

/** The minimum time for which a key is kept. */
const KEPT_FOR = '24 hours';
/** A transaction that waits longer ends and releases its locks, for which others may wait. */
export const LOCK_TIMEOUT_MS = 1_000;
/** Time limits of a transaction: for its wait for a connection, and for its duration. */
export const LIMITS = { maxWait: 5_000, timeout: 15_000 };

/**
 * Stores all jobs of an organization's batch and uses the key, or does nothing. Jobs that are stored already with the
 * same content count as stored. The key comes first: of several transactions with one key, all but the first wait for
 * its end, for a second at most, and then return `busy`; the same applies while others store the same ids. Rows are
 * written in the order of ids, so that transactions that share some wait for each other and do not deadlock.
 */
export async function insertBatch(
  db: Db,
  orgId: OrgId,
  jobs: readonly NewJob[],
  idempotencyKey: IdempotencyKey | null,
): Promise<BatchInsertResult> {
  try {
    return await retryDeadlocks(() => db.$transaction((tx) => insertIn(tx, orgId, jobs, idempotencyKey), LIMITS));
  } catch (error) {
    if (error instanceof IdsTaken) return { kind: 'taken', jobs: error.jobs };
    if (isLockTimeout(error) || error instanceof IdReleased) return { kind: 'busy' };
    throw error;
  }
}

/** The use of a key by an earlier request, or null. */
export async function findUsedKey(db: Db, orgId: OrgId, key: IdempotencyKey): Promise<UsedKey | null> {
  const used = await retryDeadlocks(() => db.$transaction((tx) => readUsed(tx, orgId, key), LIMITS));
  return used.kind === 'used' ? used : null;
}

/** Thrown, because only an exception rolls back the transaction. */
class IdsTaken extends Error {
  constructor(readonly jobs: readonly NewJob[]) {
    super('ids belong to other jobs');
  }
}

/** Thrown, because only an exception rolls back the transaction. */
export class IdReleased extends Error {
  constructor() {
    super('the job with an id was deleted after its id was found to be in use');
  }
}

/** The rows of those jobs that were not inserted, by id. Throws IdReleased if one was deleted just now. */
export async function findOthers(
  tx: DbSession,
  jobs: readonly NewJob[],
  inserted: readonly InsertedJob[],
): Promise<{ others: NewJob[]; rows: Map<string, SubmittedRow> }> {
  const isInserted = new Set(inserted.map(({ key }) => key));
  const others = jobs.filter(({ key }) => !isInserted.has(key));
  const rows = new Map((await findSubmitted(tx, others)).map((row) => [row.id, row]));
  if (rows.size < others.length) throw new IdReleased();
  return { others, rows };
}

async function insertIn(
  tx: DbSession,
  orgId: OrgId,
  jobs: readonly NewJob[],
  idempotencyKey: IdempotencyKey | null,
): Promise<BatchInsertResult> {
  await tx.$executeRaw`SELECT set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}`}, true)`;
  if (idempotencyKey && !(await useKey(tx, orgId, idempotencyKey, jobs.map(toAnswer))))
    return readUsed(tx, orgId, idempotencyKey);
  const inserted = await insertJobsIn(tx, jobs, LOCK_TIMEOUT_MS);
  if (inserted.length === jobs.length) return { kind: 'stored', inserted, existing: [] };

  const { others, rows } = await findOthers(tx, jobs, inserted);
  const taken = others.filter((job) => !isSame(rows.get(job.id)?.contentHash, job.contentHash));
  if (taken.length > 0) throw new IdsTaken(taken);
  // The key stands for the jobs that existed before, not for those that would have been created.
  if (idempotencyKey)
    await correctKey(
      tx,
      orgId,
      idempotencyKey,
      jobs.map((job) => toAnswer(rows.get(job.id) ?? job)),
    );
  return { kind: 'stored', inserted, existing: [...rows.values()] };
}

function toAnswer({ key, id, ...row }: NewJob | SubmittedRow): KeyAnswer {
  return { key, answer: { id, status: 'status' in row ? row.status : 'pending' } };
}

/** False: the key was used before. Waits for a transaction that is using it. */
export async function useKey(
  tx: DbSession,
  orgId: OrgId,
  idempotencyKey: IdempotencyKey,
  answers: readonly KeyAnswer[],
): Promise<boolean> {
  const answer = JSON.stringify(answers.map((one) => one.answer));
  const made = await tx.$executeRaw`
    INSERT INTO idempotency_keys (org_id, key, content_hash, job_keys, answer, created_at, expires_at)
    SELECT ${orgId}::uuid, ${idempotencyKey.key}, ${idempotencyKey.contentHash}, ${answers.map(({ key }) => key)}::uuid[], ${answer}::json,
      t.now, t.now + ${KEPT_FOR}::interval
    FROM date_trunc('milliseconds', now()) AS t(now)
    ON CONFLICT DO NOTHING`;
  return made === 1;
}

/** Replaces the stored response of a key that this transaction uses. */
export async function correctKey(
  tx: DbSession,
  orgId: OrgId,
  idempotencyKey: IdempotencyKey,
  answers: readonly KeyAnswer[],
): Promise<void> {
  const answer = JSON.stringify(answers.map((one) => one.answer));
  await tx.$executeRaw`
    UPDATE idempotency_keys SET job_keys = ${answers.map(({ key }) => key)}::uuid[], answer = ${answer}::json
    WHERE org_id = ${orgId}::uuid AND key = ${idempotencyKey.key}`;
}

export async function readUsed(
  tx: DbSession,
  orgId: OrgId,
  idempotencyKey: IdempotencyKey,
): Promise<UsedKey | { kind: 'busy' }> {
  const [used] = await tx.$queryRaw<{ contentHash: Uint8Array }[]>`
    SELECT content_hash AS "contentHash" FROM idempotency_keys
    WHERE org_id = ${orgId}::uuid AND key = ${idempotencyKey.key} FOR KEY SHARE`;
  // The key expired and was deleted just now; the lock keeps that from happening before its response is read.
  if (!used) return { kind: 'busy' };
  if (!isSame(used.contentHash, idempotencyKey.contentHash)) return { kind: 'used', isSame: false, answer: [] };
  const answer = await tx.$queryRaw<Answered[]>`
    SELECT e.value->>'id' AS id, coalesce(j.status::text, d.status::text, e.value->>'status') AS status,
      e.value->>'error' AS error
    FROM idempotency_keys k,
      ROWS FROM (unnest(k.job_keys), json_array_elements(k.answer)) WITH ORDINALITY AS e(job_key, value, place)
      LEFT JOIN jobs j ON j.key = e.job_key LEFT JOIN deleted_statuses d ON d.key = e.job_key
    WHERE k.org_id = ${orgId}::uuid AND k.key = ${idempotencyKey.key} ORDER BY e.place`;
  return { kind: 'used', isSame: true, answer };
}

export function isSame(one: Uint8Array | null | undefined, other: Uint8Array | null): boolean {
  return one != null && other != null && Buffer.compare(one, other) === 0;
}
