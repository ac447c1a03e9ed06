import {
  type Db,
  type DueBulk,
  isDeadlock,
  isLockTimeout,
  isUnavailable,
  limitStatements,
  lockDueBulk,
  nextBulkMs,
  postponeBulk,
  retryDeadlocks,
  saveBulkStep,
} from '@jobline/db';
import type { ArtifactStore } from '@jobline/handlers';
import { elapsedMs } from '@jobline/runtime';
import { storeAndEnqueue } from '../submit/enqueue.js';
import type { Task } from '../tasks/task.js';
import { type Applied, type ApplyDeps, apply } from './apply-bulk.js';
import { createClearDeleted } from './delete.js';

export interface BulkDeps extends Omit<ApplyDeps, 'clearDeleted'> {
  db: Db;
  /** If it is null, artifacts are stored in Postgres. */
  artifacts: ArtifactStore | null;
}

/** Jobs of one step. */
const STEP = 500;
/** A new bulk action begins after this time at most. */
const IDLE_MS = 500;
/** The pause while other processes work on what is due. */
const BUSY_MS = 50;
const FAILED_MS = 2_000;
/** The pause while an organization may have no more pending jobs, or store no more bytes. */
const FULL_MS = 1_000;
/** Time limits of a transaction: for its wait for a connection, and for its duration. */
const LIMITS = { maxWait: 5_000, timeout: 15_000 };
const STATEMENT_LIMITS_MS = { lock: 1_000, statement: 10_000 };

/** An error of a step that other steps would not have. */
class StepFailed extends Error {
  readonly bulk: DueBulk;

  constructor(bulk: DueBulk, cause: unknown) {
    super('a step of a bulk action failed', { cause });
    this.name = 'StepFailed';
    this.bulk = bulk;
  }
}

/**
 * Applies bulk actions to their jobs, step by step. A step and its progress are one transaction: so no job is done twice, and
 * another process continues after the death of this one. Every API process does this.
 */
export function createBulk(deps: BulkDeps): Task {
  const { db, events } = deps;
  const applyDeps = { ...deps, clearDeleted: createClearDeleted(deps) };
  /** The actions of which a step has failed, and how many steps of one job follow. */
  const careful = new Map<string, number>();

  /** Returns false if no step is due. */
  async function step(): Promise<boolean> {
    let current: DueBulk | null = null;
    let result: Applied | null = null;
    try {
      await storeAndEnqueue(deps, (reserve) =>
        db.$transaction(async (tx) => {
          await limitStatements(tx, STATEMENT_LIMITS_MS);
          const found = await lockDueBulk(tx, STEP);
          if (!found) return { inserted: [] };
          const bulk = careful.has(found.id) ? { ...found, keys: found.keys.slice(0, 1) } : found;
          current = bulk;
          result = await apply(applyDeps, tx, bulk, reserve);
          if (result) await saveBulkStep(tx, bulk, result.step);
          else await postponeBulk(tx, bulk.id, FULL_MS);
          return { inserted: result?.inserted ?? [] };
        }, LIMITS),
      );
    } catch (error) {
      throw current === null || isDeadlock(error) ? error : new StepFailed(current, error);
    }
    await announce(result);
    if (current !== null) countCareful(current);
    return current !== null;
  }

  function countCareful({ id }: DueBulk): void {
    const left = (careful.get(id) ?? 0) - 1;
    if (left > 0) careful.set(id, left);
    else careful.delete(id);
  }

  async function announce(result: Applied | null): Promise<void> {
    try {
      await result?.announce();
    } catch (error) {
      events.emit('step.failed', { step: 'announce bulk step', error });
    }
  }

  /** Counts the job whose step of one job has failed. */
  async function countFailed({ id, keys: [failing] }: DueBulk): Promise<void> {
    await db.$transaction(async (tx) => {
      const bulk = await lockDueBulk(tx, 1, id);
      if (bulk && bulk.keys[0] === failing) await saveBulkStep(tx, bulk, { done: 0, skipped: 0, failed: 1 });
    }, LIMITS);
  }

  /** A step that fails delays no other action. */
  async function stepOrSplit(): Promise<boolean> {
    try {
      return await retryDeadlocks(step);
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      const { bulk, cause } = error;
      events.emit('step.failed', { step: 'bulk', error: cause });
      if (isUnavailable(cause) || isLockTimeout(cause)) await postponeBulk(db, bulk.id, FAILED_MS);
      else if (bulk.keys.length <= 1) await countFailed(bulk);
      if (bulk.keys.length > 1) careful.set(bulk.id, STEP);
      return true;
    }
  }

  async function round(): Promise<number> {
    const startedAt = performance.now();
    const dueInMs = (await nextBulkMs(deps.hot)) ?? IDLE_MS;
    if (dueInMs > 0) return Math.min(IDLE_MS, dueInMs);
    // Another process may work on what is due.
    if (!(await stepOrSplit())) return BUSY_MS;
    // The jobs of others need Postgres, too.
    return elapsedMs(startedAt);
  }

  return { name: 'bulk', round, failedMs: FAILED_MS };
}
