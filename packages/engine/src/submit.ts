import { AppError, type OrgId } from '@jobline/contracts';
import { type Db, type HotDb, isLockTimeout, isUnavailable } from '@jobline/db';
import { findSubmitted, type InsertedJob, insertJobs, type SubmittedRow } from '@jobline/db/job-transitions';
import { type Batcher, createBatcher, elapsedMs, noTracing, type Tracing, traced } from '@jobline/runtime';
import type { Routes } from './routes.js';
import { type StoreDeps, store } from './store.js';
import { isSameContent, type JobDraft, type Submission, type Submitted, toNewJob } from './submission.js';

/**
 * Stores a job and hands its key to its queue. Resolved means committed: the job is never lost after that, whatever
 * happens to Redis. Throws AppError `conflict` when the id is taken by a different job, or another request has been storing a
 * job under it for too long. The job's attempts continue the
 * trace of this call, or, while nothing is traced here, that of `traceparent`.
 */
export type Submit = (orgId: OrgId, submission: Submission, traceparent?: string | null) => Promise<Submitted>;

export interface SubmitDeps extends StoreDeps {
  db: Db;
  hot: HotDb;
  routes: Routes;
  /** Absent: nothing is traced. */
  tracing?: Tracing;
  /** How long a submission waits for another request that is storing its id. */
  idWaitMs?: number;
}

/** `busy`: another transaction is storing its id. A row: the job that has its id. Null: it is stored now. */
type Inserted = SubmittedRow | 'busy' | null;

/** Statements under way at once: of jobs whose id the service makes, and of those that bring theirs. */
const IN_FLIGHT = { ownIds: 3, givenIds: 2 };
/** So many connections of `hot` keep both kinds from waiting for each other. */
export const SUBMIT_CONNECTIONS = IN_FLIGHT.ownIds + IN_FLIGHT.givenIds;
/** A statement of many organizations' jobs waits no longer for one of them. */
const LOCK_TIMEOUT_MS = 250;
const ID_WAIT_MS = 10_000;
/** Characters of payloads in one statement: it is held several times in memory on its way. */
const MAX_STATEMENT_LENGTH = 1024 * 1024;

export function createSubmit(deps: SubmitDeps): Submit {
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
  // Apart from each other: only a job that brings its id can have to wait for another transaction.
  const ownIds = batcherOf(IN_FLIGHT.ownIds, (jobs) => insert(deps, jobs));
  const givenIds = batcherOf(IN_FLIGHT.givenIds, (jobs) => insertGivenIds(deps, jobs));

  async function insertOne(job: JobDraft): Promise<SubmittedRow | null> {
    const inserts = job.contentHash === null ? ownIds : givenIds;
    const startedAt = performance.now();
    for (;;) {
      const answer = await inserts.add(job);
      if (answer !== 'busy') return answer;
      if (elapsedMs(startedAt) > (deps.idWaitMs ?? ID_WAIT_MS)) {
        throw new AppError(
          'conflict',
          `Another request is storing a job with the id "${job.id}" and is still in progress.`,
        );
      }
    }
  }

  async function submit(orgId: OrgId, submission: Submission, traceparent: string | null): Promise<Submitted> {
    const job = toNewJob(await deps.routes(submission.type), orgId, submission, traceparent);
    const existing = await insertOne(job);
    if (existing === null) return { id: job.id, status: 'pending', replayed: false };
    if (!isSameContent(existing, job)) throw idsTaken([{ path: 'id', id: job.id }]);
    return { id: existing.id, status: existing.status, replayed: true };
  }

  const { tracing = noTracing } = deps;
  return (orgId, submission, traceparent = null) =>
    traced(
      tracing,
      () => ({ name: 'submit', kind: 'internal', attributes: { 'jobline.type': submission.type } }),
      () => submit(orgId, submission, tracing.traceparent() ?? traceparent),
    );
}

/** The refusal of submissions whose ids belong to other jobs; `path` is where the request has the id. */
export function idsTaken(taken: readonly { path: string; id: string }[]): AppError {
  const ids = taken.length === 1 ? `the id "${taken[0]?.id}" is` : `${taken.length} ids are`;
  return new AppError('conflict', `${ids} taken by a different job`, {
    details: taken.map(({ path }) => ({ path, message: 'is taken by a job with other content' })),
  });
}

/** If a job has to wait for another transaction, the other organizations' jobs are stored without its organization's. */
async function insertGivenIds(deps: SubmitDeps, jobs: JobDraft[]): Promise<Inserted[]> {
  const byOrg = new Map<OrgId, JobDraft[]>();
  for (const job of jobs) byOrg.set(job.orgId, [...(byOrg.get(job.orgId) ?? []), job]);
  const together = await insertUnlessLocked(deps, jobs);
  if (together || byOrg.size === 1) return together ?? jobs.map(() => 'busy');

  const answers = new Map<JobDraft, Inserted>();
  for (const own of byOrg.values()) {
    const inserted = await insertUnlessLocked(deps, own);
    for (const [i, job] of own.entries()) answers.set(job, inserted ? (inserted[i] ?? null) : 'busy');
  }
  return jobs.map((job) => answers.get(job) ?? null);
}

/** Null: nothing is stored, because another transaction is storing one of the ids. */
async function insertUnlessLocked(deps: SubmitDeps, jobs: JobDraft[]): Promise<(SubmittedRow | null)[] | null> {
  try {
    return await insert(deps, jobs, LOCK_TIMEOUT_MS);
  } catch (error) {
    if (isLockTimeout(error)) return null;
    throw error;
  }
}

/** Null for each job that is stored now; for the others, the job that has their id. */
async function insert(deps: SubmitDeps, jobs: JobDraft[], lockTimeoutMs = 0): Promise<(SubmittedRow | null)[]> {
  const { inserted } = await store(deps, jobs, async (placed) => ({
    inserted: await insertJobs(deps.hot, placed, lockTimeoutMs),
  }));
  return inserted.length === jobs.length ? jobs.map(() => null) : findExisting(deps, jobs, inserted);
}

/** An insert that is repeated after an unknown commit finds its own key, and is the first all the same. */
async function findExisting(
  deps: SubmitDeps,
  jobs: readonly JobDraft[],
  inserted: readonly InsertedJob[],
): Promise<(SubmittedRow | null)[]> {
  const stored = new Set(inserted.map(({ key }) => key));
  const existing = await findSubmitted(
    deps.db,
    jobs.filter(({ key }) => !stored.has(key)),
  );
  return jobs.map((job) => {
    if (stored.has(job.key)) return null;
    const row = existing.find(({ orgId, id }) => orgId === job.orgId && id === job.id);
    if (!row) throw new Error('a job was neither stored nor there already');
    return row.key === job.key ? null : row;
  });
}
