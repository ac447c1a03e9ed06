import { AppError, type OrgId } from '@jobline/contracts';
import { type Db, type HotDb, isUnavailable } from '@jobline/db';
import { findSubmitted, type InsertedJob, insertJobs, type SubmittedRow } from '@jobline/db/job-transitions';
import { createBatcher, noTracing, type Tracing, traced } from '@jobline/runtime';
import type { Routes } from './routes.js';
import { type StoreDeps, store } from './store.js';
import { isSameContent, type Submission, type Submitted, toNewJob, type Unplaced } from './submission.js';

/**
 * Stores a job and hands its key to its queue. Resolved means committed: the job is never lost after that, whatever
 * happens to Redis. Throws AppError `conflict` when the id is taken by a different job. The job's attempts continue the
 * trace of this call, or, while nothing is traced here, that of `traceparent`.
 */
export type Submit = (orgId: OrgId, submission: Submission, traceparent?: string | null) => Promise<Submitted>;

export interface SubmitDeps extends StoreDeps {
  db: Db;
  hot: HotDb;
  routes: Routes;
  /** Absent: nothing is traced. */
  tracing?: Tracing;
}

/** Characters of payloads in one statement: it is held several times in memory on its way. */
const MAX_STATEMENT_LENGTH = 1024 * 1024;

export function createSubmit(deps: SubmitDeps): Submit {
  const inserts = createBatcher<Unplaced, SubmittedRow | null>({
    run: (jobs) => insert(deps, jobs),
    maxItems: 500,
    size: { of: ({ payload }) => payload.length, max: MAX_STATEMENT_LENGTH },
    ownerOf: ({ orgId }) => orgId,
    gatherMs: 2,
    maxInFlight: 3,
    isolate: (error) => !isUnavailable(error),
    onBatch: (size) => deps.events.emit('batch.sent', { step: 'submit', size }),
  });

  async function submit(orgId: OrgId, submission: Submission, traceparent: string | null): Promise<Submitted> {
    const job = toNewJob(await deps.routes(submission.type), orgId, submission, traceparent);
    const existing = await inserts.add(job);
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

/** Null for each job that is stored now; for the others, the job that has their id. */
async function insert(deps: SubmitDeps, jobs: Unplaced[]): Promise<(SubmittedRow | null)[]> {
  const { inserted } = await store(deps, jobs, async (placed) => ({ inserted: await insertJobs(deps.hot, placed) }));
  return inserted.length === jobs.length ? jobs.map(() => null) : findExisting(deps, jobs, inserted);
}

/** An insert that is repeated after an unknown commit finds its own key, and is the first all the same. */
async function findExisting(
  deps: SubmitDeps,
  jobs: readonly Unplaced[],
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
