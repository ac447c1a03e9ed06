import { AppError, type OrgId } from '@jobline/contracts';
import { type Db, type HotDb, isLockTimeout, isUnavailable } from '@jobline/db';
import { findSubmitted, type InsertedJob, insertJobs, type SubmittedRow } from '@jobline/db/job-transitions';
import { type Batcher, createBatcher, elapsedMs } from '@jobline/runtime';
import { type EnqueueDeps, type JobDraft, storeAndEnqueue } from './enqueue.js';

export interface InsertDeps extends EnqueueDeps {
  db: Db;
  hot: HotDb;
  /** How long a submission waits for another request that is storing a job with the same id. */
  idWaitMs?: number;
}

/**
 * `busy`: another transaction is storing the id, or has just deleted the job that had it. A row: the job that already has
 * the id. Null: the job is stored now.
 */
type Inserted = SubmittedRow | 'busy' | null;

/** Concurrent statements: for jobs with generated ids, and for jobs whose caller chose the id. */
const IN_FLIGHT = { generatedIds: 3, chosenIds: 2 };
/** With this many connections of `hot`, the two kinds never wait for each other. */
export const SUBMIT_CONNECTIONS = IN_FLIGHT.generatedIds + IN_FLIGHT.chosenIds;
/** A statement with jobs of many organizations waits no longer than this for one of them. */
const LOCK_TIMEOUT_MS = 250;
const ID_WAIT_MS = 10_000;
/** Limit of payload characters per statement, because a statement is in memory several times while it is sent. */
const MAX_STATEMENT_LENGTH = 1024 * 1024;

/** Stores single jobs, those of one moment and many organizations in one statement, so that an API process can accept many. */
export function createInserts(deps: InsertDeps) {
  const batcherOf = (
    maxInFlight: number,
    run: (jobs: JobDraft[]) => Promise<Inserted[]>,
  ): Batcher<JobDraft, Inserted> =>
    createBatcher({
      run,
      maxItems: 500,
      size: { of: ({ payload }) => payload.length, max: MAX_STATEMENT_LENGTH },
      ownerOf: ({ orgId }) => orgId,
      gatherMs: 2,
      maxInFlight,
      isolate: (error) => !isUnavailable(error),
      onBatch: (size) => deps.events.emit('batch.sent', { step: 'submit', size }),
    });
  // Two batchers, because only a job with a chosen id may have to wait for another transaction.
  const generatedIds = batcherOf(IN_FLIGHT.generatedIds, (jobs) => insertAll(deps, jobs));
  const chosenIds = batcherOf(IN_FLIGHT.chosenIds, (jobs) => insertChosenIds(deps, jobs));

  return {
    /**
     * Stores a job and enqueues it. Returns null, or the job that already has the id. Throws AppError `conflict` if another
     * transaction has been storing a job with the id for too long.
     */
    async insert(job: JobDraft): Promise<SubmittedRow | null> {
      const batcher = job.contentHash === null ? generatedIds : chosenIds;
      const startedAt = performance.now();
      for (;;) {
        const inserted = await batcher.add(job);
        if (inserted !== 'busy') return inserted;
        if (elapsedMs(startedAt) > (deps.idWaitMs ?? ID_WAIT_MS)) {
          throw new AppError(
            'conflict',
            `Another request is storing a job with the id "${job.id}" and is still in progress.`,
          );
        }
      }
    },
  };
}

/**
 * If one organization's job has to wait for another transaction, the jobs of the other organizations are stored
 * without it.
 */
async function insertChosenIds(deps: InsertDeps, jobs: JobDraft[]): Promise<Inserted[]> {
  const byOrg = new Map<OrgId, JobDraft[]>();
  for (const job of jobs) byOrg.set(job.orgId, [...(byOrg.get(job.orgId) ?? []), job]);
  const all = await insertUnlessLocked(deps, jobs);
  if (all || byOrg.size === 1) return all ?? jobs.map(() => 'busy');

  const results = new Map<JobDraft, Inserted>();
  for (const own of byOrg.values()) {
    const inserted = await insertUnlessLocked(deps, own);
    for (const [i, job] of own.entries()) results.set(job, inserted ? (inserted[i] ?? null) : 'busy');
  }
  return jobs.map((job) => results.get(job) ?? null);
}

/** Returns null, and stores nothing, if another transaction is storing one of the ids. */
async function insertUnlessLocked(deps: InsertDeps, jobs: JobDraft[]): Promise<Inserted[] | null> {
  try {
    return await insertAll(deps, jobs, LOCK_TIMEOUT_MS);
  } catch (error) {
    if (isLockTimeout(error)) return null;
    throw error;
  }
}

async function insertAll(deps: InsertDeps, jobs: JobDraft[], lockTimeoutMs = 0): Promise<Inserted[]> {
  const { inserted } = await storeAndEnqueue(deps, async (reserve) => ({
    inserted: await insertJobs(deps.hot, reserve(jobs), lockTimeoutMs),
  }));
  return inserted.length === jobs.length ? jobs.map(() => null) : findExisting(deps, jobs, inserted);
}

/** A repeated insert may find the row that its own first try stored: that job counts as stored now. */
async function findExisting(
  deps: InsertDeps,
  jobs: readonly JobDraft[],
  inserted: readonly InsertedJob[],
): Promise<Inserted[]> {
  const stored = new Set(inserted.map(({ key }) => key));
  const existing = await findSubmitted(
    deps.db,
    jobs.filter(({ key }) => !stored.has(key)),
  );
  return jobs.map((job) => {
    if (stored.has(job.key)) return null;
    const row = existing.find(({ orgId, id }) => orgId === job.orgId && id === job.id);
    if (!row) return 'busy';
    return row.key === job.key ? null : row;
  });
}
