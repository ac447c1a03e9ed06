import {
  AppError,
  assertNever,
  type ErrorView,
  type JobKey,
  type JobStatus,
  type Json,
  type OrgId,
  type VisibleTypes,
} from '@jobline/contracts';
import { findUsedKey, type IdempotencyKey, isSameContent, type JobAnswer, type UsedKey } from '@jobline/db';
import { type FoundJobs, type InsertedRequest, insertRequest, type JobsRequest } from '@jobline/db/job-transitions';
import { activeTraceparent, elapsedMs, traced } from '@jobline/runtime';
import { refusedCondition } from './after.js';
import { type JobDraft, storeAndEnqueue } from './enqueue.js';
import { createInserts, type InsertDeps } from './inserts.js';
import type { Routes } from './routes.js';
import {
  type CheckDeps,
  checkNew,
  invalidSubmissions,
  mayHaveIssues,
  type RequestMode,
  type Submission,
  toJobDraft,
} from './submission.js';

export interface Submitted {
  id: string;
  status: JobStatus;
  /** Whether an earlier submission with the same id and content, or an earlier request with the same key, stored the job. */
  replayed: boolean;
}

/** A job that is not stored, with the parts of an error response. The paths of its details begin at the job. */
export interface Rejected {
  error: Omit<ErrorView['error'], 'request_id'>;
}

export interface SubmitRequest {
  /** A repeated request with the same key does nothing and gets the same answers. */
  key: IdempotencyKey | null;
  /** The span of the caller. The attempts of the jobs continue it if tracing is off here. */
  traceparent?: string | null;
  /** The location of a field of the nth job in the request, for error details. Absent: the name of the field. */
  pathIn?(n: number, name: string): string;
  /** The job types that the caller may see. Absent: all. */
  types?: VisibleTypes;
  /** The ids of jobs of the request that were rejected before. */
  rejectedIds?: ReadonlySet<string>;
}

/** The answers to a request, in its order. `isReplay`: earlier requests stored all of its jobs. */
export interface Answers<A> {
  answers: A;
  isReplay: boolean;
}

export interface SubmitDeps extends CheckDeps, InsertDeps {
  routes: Routes;
  /** How long a request waits for a concurrent request with the same key, or with one of the same ids. */
  duplicateWaitMs?: number;
}

const DUPLICATE_WAIT_MS = 30_000;

export type Submissions = ReturnType<typeof createSubmissions>;

/**
 * Stores jobs and enqueues their keys. When a call resolves, its jobs are committed and cannot be lost, whatever happens to
 * Redis. Throws AppError `validation_failed` if a job has expired or names an unknown limit, `rate_limited` if too many jobs of
 * the organization are pending, `conflict` if an id belongs to a different job, or if another request has been using the
 * key or an id for too long, and `idempotency_key_reused`.
 */
export function createSubmissions(deps: SubmitDeps) {
  const inserts = createInserts(deps);

  /** The job shares a statement with other jobs of the same moment. */
  async function submitWithoutKey(
    orgId: OrgId,
    submission: Submission,
    { types = null }: SubmitRequest,
    traceparent: string | null,
  ): Promise<Submitted> {
    const job = await toJobDraft(deps.routes, orgId, submission, traceparent);
    if (deps.backlogLimit || mayHaveIssues(deps, job)) await checkNew(deps, orgId, [job], { ...WITHOUT_KEY, types });
    const existing = await inserts.insert(job);
    if (existing === null) return { id: job.id, status: 'pending', replayed: false };
    if (!isSameContent(existing.contentHash, job.contentHash)) throw idsTaken([{ path: 'id', id: job.id }]);
    return { id: existing.id, status: existing.status, replayed: true };
  }

  return {
    async submit(orgId: OrgId, submission: Submission, request: SubmitRequest): Promise<Submitted> {
      if (request.key === null && !submission.after) {
        return traced('submit', { attributes: { 'jobline.type': submission.type } }, () =>
          submitWithoutKey(orgId, submission, request, activeTraceparent() ?? request.traceparent ?? null),
        );
      }
      const { answers } = await storeAll(deps, orgId, [submission], request);
      return answers[0];
    },

    /** Stores all of the jobs or none. Their ids must differ. */
    submitAll(
      orgId: OrgId,
      submissions: readonly Submission[],
      request: SubmitRequest,
    ): Promise<Answers<readonly Submitted[]>> {
      return storeAll(deps, orgId, submissions, request);
    },

    /**
     * Stores those jobs that can be stored; the others are rejected. `items`: the jobs, whose ids must differ, and those that were
     * rejected before. If all are rejected, the key is not used.
     */
    submitEach(
      orgId: OrgId,
      items: readonly (Submission | Rejected)[],
      request: SubmitRequest,
    ): Promise<Answers<readonly (Submitted | Rejected)[]>> {
      return storeRequest(deps, orgId, items, { ...WITHOUT_KEY, ...request, mode: 'each' });
    },

    /** The `max_retries` that a submission of the type gets if it names none. */
    async maxRetriesFor(type: string): Promise<number> {
      await deps.routes.queueFor(type);
      return deps.routes.maxRetriesOf(type);
    },

    /**
     * The answer to the first request for one job with the key, or null: for requests whose submission is made from stored
     * data, which may have changed since.
     */
    async findReplay(orgId: OrgId, key: IdempotencyKey | null): Promise<Submitted | null> {
      const used = key && (await findUsedKey(deps.db, orgId, key));
      return (used && replayOf(used).answers.find(isStored)) ?? null;
    },
  };
}

const WITHOUT_KEY: RequestMode = { mode: 'all', key: null, pathIn: (_n, name) => name, types: null };

async function storeAll<const Items extends readonly Submission[]>(
  deps: SubmitDeps,
  orgId: OrgId,
  submissions: Items,
  request: SubmitRequest,
): Promise<Answers<{ readonly [N in keyof Items]: Submitted }>> {
  const answers = await storeRequest(deps, orgId, submissions, { ...WITHOUT_KEY, ...request });
  // The cast: with this mode, a rejection is thrown, so each submission has its job.
  return answers as Answers<{ readonly [N in keyof Items]: Submitted }>;
}

/** Stores the jobs of a request in one transaction, and with one add to each of their queues. */
function storeRequest(
  deps: SubmitDeps,
  orgId: OrgId,
  items: readonly (Submission | Rejected)[],
  request: SubmitRequest & RequestMode,
): Promise<Answers<readonly (Submitted | Rejected)[]>> {
  return traced('submit', { attributes: { 'jobline.jobs': items.length } }, async () => {
    const traceparent = activeTraceparent() ?? request.traceparent ?? null;
    const drafted: Item[] = [];
    for (const item of items) {
      drafted.push('error' in item ? item : await toJobDraft(deps.routes, orgId, item, traceparent));
    }
    const issues = await checkNew(deps, orgId, drafted.filter(isDraft), request);
    if ('kind' in issues) return replayOf(issues);
    const checked = drafted.map((item) => {
      const own = isDraft(item) ? issues.get(item) : undefined;
      return own ? rejectedBy(invalidSubmissions(own)) : item;
    });
    const jobs = checked.filter(isDraft);
    if (jobs.length === 0) return answersTo(checked, { existing: [], taken: [] });

    const stored = await insertUntilFree(deps, orgId, jobs, {
      mode: request.mode,
      key: request.key,
      answersOf: (found) => checked.map(answerOf(found)).map(toJobAnswer),
    });
    switch (stored.kind) {
      case 'stored':
        if (request.mode === 'all') throwIfTaken(jobs, stored, request);
        return answersTo(checked, stored);
      case 'used':
        return replayOf(stored);
      case 'busy':
        throw inUse(request.key !== null);
      case 'refused':
        throw refusedCondition(stored.error);
      default:
        return assertNever(stored);
    }
  });
}

/** Returns `busy` only if a concurrent request with the key or one of the ids takes too long. */
async function insertUntilFree(
  deps: SubmitDeps,
  orgId: OrgId,
  jobs: readonly JobDraft[],
  request: Omit<JobsRequest, 'jobs'>,
): Promise<InsertedRequest> {
  // If there is not enough capacity for all jobs, those with the highest priority get it.
  const byPriority = [...jobs].sort((a, b) => b.priority - a.priority);
  const startedAt = performance.now();
  for (;;) {
    const stored = await storeAndEnqueue(deps, async (reserve) => ({
      inserted: [],
      ...(await insertRequest(deps.db, orgId, { ...request, jobs: reserve(byPriority) })),
    }));
    if (stored.kind !== 'busy' || elapsedMs(startedAt) > (deps.duplicateWaitMs ?? DUPLICATE_WAIT_MS)) return stored;
  }
}

/** A job to store, or one that was rejected. */
type Item = JobDraft | Rejected;

function isDraft(item: Item): item is JobDraft {
  return !('error' in item);
}

function isStored(answer: Submitted | Rejected): answer is Submitted {
  return !('error' in answer);
}

interface Answer {
  /** Null: the job was rejected. */
  key: JobKey | null;
  answer: Submitted | Rejected;
}

/** Answers the items of a request. `found`: the jobs whose ids were in use. */
function answerOf({ existing, taken }: FoundJobs): (item: Item) => Answer {
  const rows = new Map(existing.map((row) => [row.id, row]));
  const takenIds = new Set(taken.map(({ id }) => id));
  return (item) => {
    if (!isDraft(item)) return { key: null, answer: item };
    const { id, key } = item;
    if (takenIds.has(id)) return { key: null, answer: rejectedBy(idsTaken([{ path: 'id', id }])) };
    const row = rows.get(id);
    return { key: row?.key ?? key, answer: { id, status: row?.status ?? 'pending', replayed: row !== undefined } };
  };
}

function answersTo(items: readonly Item[], found: FoundJobs): Answers<(Submitted | Rejected)[]> {
  const answers = items.map(answerOf(found)).map(({ answer }) => answer);
  return { answers, isReplay: answers.every((answer) => isStored(answer) && answer.replayed) };
}

function toJobAnswer({ key, answer }: Answer): JobAnswer {
  if (isStored(answer)) return { key, answer: { id: answer.id, status: answer.status } };
  const { code, message, details } = answer.error;
  const listed = details?.map((detail): Json => ({ path: detail.path, message: detail.message }));
  return { key, answer: { error: { code, message, ...(listed && { details: listed }) } } };
}

function replayOf({ isSame, answers }: UsedKey): Answers<(Submitted | Rejected)[]> {
  if (!isSame) throw keyReused();
  return {
    answers: answers.map(({ id, status, error }) =>
      // The cast: toJobAnswer wrote it.
      error === null ? { id, status, replayed: true } : { error: JSON.parse(error) as Rejected['error'] },
    ),
    isReplay: true,
  };
}

/** The parts of an error that belong to one job. */
export function rejectedBy({ code, message, details }: AppError): Rejected {
  return { error: { code, message, ...(details?.length && { details: [...details] }) } };
}

function throwIfTaken(jobs: readonly JobDraft[], { taken }: FoundJobs, { pathIn }: RequestMode): void {
  if (taken.length === 0) return;
  const ids = new Set(taken.map(({ id }) => id));
  throw idsTaken(jobs.flatMap(({ id }, n) => (ids.has(id) ? [{ path: pathIn(n, 'id'), id }] : [])));
}

/** The error for submissions whose ids belong to different jobs. `path` is the location of the id in the request. */
function idsTaken(taken: readonly { path: string; id: string }[]): AppError {
  const message =
    taken.length === 1
      ? `The id "${taken[0]?.id}" belongs to a different job.`
      : `${taken.length} ids belong to different jobs.`;
  return new AppError('conflict', message, {
    details: taken.map(({ path }) => ({ path, message: 'belongs to a job with different content' })),
  });
}

export function keyReused(): AppError {
  return new AppError('idempotency_key_reused', 'This Idempotency-Key was used for a different request.');
}

function inUse(hasKey: boolean): AppError {
  const what = hasKey ? 'this Idempotency-Key, or with one of these ids,' : 'one of these ids';
  return new AppError('conflict', `Another request with ${what} is still in progress.`);
}
