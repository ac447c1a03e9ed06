import type { OrgId } from '@jobline/contracts';
import type { Db, DbSession } from '../../postgres/client.js';
import { isLockTimeout, retryDeadlocks } from '../../postgres/errors.js';
import { type InsertedJob, insertJobsIn, type NewJob, type SubmittedRow } from './insert.js';
import {
  correctKey,
  findOthers,
  type IdempotencyKey,
  IdReleased,
  isSame,
  type KeyAnswer,
  LIMITS,
  LOCK_TIMEOUT_MS,
  readUsed,
  type UsedKey,
  useKey,
} from './insert-batch.js';

/** What became of the jobs of a request: those that were stored now, those that existed with the same content, the others. */
export interface StoredEach {
  kind: 'stored';
  inserted: readonly InsertedJob[];
  existing: readonly SubmittedRow[];
  /** Their ids belong to stored jobs with different content. */
  taken: readonly NewJob[];
}

export type EachInsertResult = StoredEach | UsedKey | { kind: 'busy' };

/** A request of which each job is stored or not for itself. */
export interface EachInsert {
  /** Their ids differ. */
  jobs: readonly NewJob[];
  /** The complete response, to be stored with the key. Rejected jobs may be part of it. */
  answersOf(stored: Pick<StoredEach, 'existing' | 'taken'>): KeyAnswer[];
}

/**
 * Stores those jobs of an organization whose ids are free and uses the key, in one transaction. Jobs that are stored already
 * with the same content count as stored. If no job is stored, the key is not used. Waits and returns `busy` like insertBatch.
 */
export async function insertEach(
  db: Db,
  orgId: OrgId,
  insert: EachInsert,
  idempotencyKey: IdempotencyKey | null,
): Promise<EachInsertResult> {
  try {
    return await retryDeadlocks(() => db.$transaction((tx) => insertIn(tx, orgId, insert, idempotencyKey), LIMITS));
  } catch (error) {
    if (error instanceof AllTaken) return { kind: 'stored', inserted: [], existing: [], taken: insert.jobs };
    if (isLockTimeout(error) || error instanceof IdReleased) return { kind: 'busy' };
    throw error;
  }
}

/** Thrown, because only an exception rolls back the transaction. */
class AllTaken extends Error {
  constructor() {
    super('every id belongs to another job');
  }
}

async function insertIn(
  tx: DbSession,
  orgId: OrgId,
  { jobs, answersOf }: EachInsert,
  idempotencyKey: IdempotencyKey | null,
): Promise<EachInsertResult> {
  await tx.$executeRaw`SELECT set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}`}, true)`;
  const planned = answersOf({ existing: [], taken: [] });
  if (idempotencyKey && !(await useKey(tx, orgId, idempotencyKey, planned))) return readUsed(tx, orgId, idempotencyKey);
  const inserted = await insertJobsIn(tx, jobs, LOCK_TIMEOUT_MS);
  if (inserted.length === jobs.length) return { kind: 'stored', inserted, existing: [], taken: [] };

  const { others, rows } = await findOthers(tx, jobs, inserted);
  const taken = others.filter((job) => !isSame(rows.get(job.id)?.contentHash, job.contentHash));
  if (taken.length === jobs.length) throw new AllTaken();
  for (const { id } of taken) rows.delete(id);
  const existing = [...rows.values()];
  if (idempotencyKey) await correctKey(tx, orgId, idempotencyKey, answersOf({ existing, taken }));
  return { kind: 'stored', inserted, existing, taken };
}
