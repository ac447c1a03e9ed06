import { AppError, assertNever, type Json, type OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import {
  findSubmitted,
  findUsedKey,
  type IdempotencyKey,
  type InsertedJob,
  insertBatch,
  type NewJob,
  type UsedKey,
} from '@jobline/db/job-transitions';
import { activeTraceparent, elapsedMs, traced } from '@jobline/runtime';
import type { BacklogLimit } from '../limits/backlog-limit.js';
import { type EnqueueDeps, enqueueInserted, type JobDraft, reserveCapacity } from './enqueue.js';
import type { Routes } from './routes.js';
import { idsTaken, invalidSubmissions, newJobIssues } from './submission-issues.js';
import { contentOf, requestHash, type Submission, type Submitted, sortKeys, toJobDraft } from './submit.js';

/** A request for several jobs, or for one job with an idempotency key. */
export interface BatchRequest {
  submissions: readonly Submission[];
  /** A repeated request with the same key does nothing and gets the same answer. */
  idempotencyKey?: string | undefined;
  /** The endpoint that was called. The same key at another endpoint is a different request. */
  endpoint: string;
  /** What the request contained. Absent: the submissions. */
  content?: Json | undefined;
  /** The span of the caller, used if tracing is off here. */
  traceparent?: string | null;
  /** The location of a field of the nth submission in the request, for error details. */
  pathIn(n: number, name: string): string;
}

/**
 * Stores all of the jobs or none: in one transaction, and with one add to each of their queues. Returns one result
 * per job, in order, which says whether the job existed before. The ids of the batch must differ. Throws AppError
 * `idempotency_key_reused`, `validation_failed` if a job has expired or names an unknown limit, `rate_limited` if too many
 * jobs of the organization are pending, and `conflict` if an id belongs to a different
 * job, or if the key or an id is in use for too long.
 */
export type SubmitBatch = (orgId: OrgId, request: BatchRequest) => Promise<Submitted[]>;

export interface SubmitBatchDeps extends EnqueueDeps {
  db: Db;
  routes: Routes;
  /** Bounds the pending jobs of each organization. If it is absent, there is no bound. */
  backlogLimit?: BacklogLimit;
  /** How long a request waits for a concurrent request with the same key, or with one of the same ids. */
  duplicateWaitMs?: number;
}

const DUPLICATE_WAIT_MS = 30_000;

export function createSubmitBatch(deps: SubmitBatchDeps): SubmitBatch {
  async function submit(orgId: OrgId, request: BatchRequest): Promise<Submitted[]> {
    const traceparent = activeTraceparent() ?? request.traceparent ?? null;
    const { submissions, idempotencyKey: key } = request;
    const jobs: JobDraft[] = [];
    for (const submission of submissions) {
      jobs.push(toJobDraft(await deps.routes(submission.type), orgId, submission, traceparent));
    }
    const idempotencyKey = key === undefined ? null : { key, contentHash: hashOf(request) };

    const replay = await checkNew(deps, orgId, jobs, idempotencyKey, request);
    if (replay) return replay;
    const outcome = await storeDrafts(deps, jobs, (reserved) => insertBatch(deps.db, orgId, reserved, idempotencyKey));
    switch (outcome.kind) {
      case 'stored': {
        const existing = new Map(outcome.existing.map(({ id, status }) => [id, status]));
        return jobs.map(({ id }) => ({ id, status: existing.get(id) ?? 'pending', replayed: existing.has(id) }));
      }
      case 'used':
        return replayOf(outcome);
      case 'taken': {
        const taken = new Set(outcome.jobs.map(({ id }) => id));
        throw idsTaken(jobs.flatMap(({ id }, n) => (taken.has(id) ? [{ path: request.pathIn(n, 'id'), id }] : [])));
      }
      case 'busy':
        throw inUse(idempotencyKey !== null);
      default:
        return assertNever(outcome);
    }
  }

  return (orgId, request) =>
    traced('submit', { attributes: { 'jobline.jobs': request.submissions.length } }, () => submit(orgId, request));
}

/**
 * Throws if a job must not be stored, unless it is stored already. Returns the answer of the first request with the key, if
 * there was one. Reads nothing in the usual case.
 */
async function checkNew(
  { db, backlogLimit }: SubmitBatchDeps,
  orgId: OrgId,
  jobs: readonly JobDraft[],
  idempotencyKey: IdempotencyKey | null,
  request: BatchRequest,
): Promise<Submitted[] | null> {
  const issues = await newJobIssues(db, orgId, jobs);
  const counted = jobs.filter(({ scheduleId }) => scheduleId === undefined).length;
  const excess = counted === 0 ? null : ((await backlogLimit?.excess(orgId, counted)) ?? null);
  if (issues.size === 0 && excess === null) return null;
  const used = idempotencyKey && (await findUsedKey(db, orgId, idempotencyKey));
  if (used) return replayOf(used);
  const stored = new Set((await findSubmitted(db, jobs)).map(({ id }) => id));
  const details = jobs.flatMap((job, n) =>
    stored.has(job.id)
      ? []
      : (issues.get(job) ?? []).map((issue) => ({ ...issue, path: request.pathIn(n, issue.path) })),
  );
  if (details.length > 0) throw invalidSubmissions(details);
  if (excess !== null && stored.size < jobs.length) throw excess;
  return null;
}

/** Returns the answer of the first request with a key, if there was one. Throws AppError `idempotency_key_reused`. */
export type FindReplay = (
  orgId: OrgId,
  request: { endpoint: string; content: Json; idempotencyKey?: string | undefined },
) => Promise<Submitted[] | null>;

/** For requests whose submissions are made from stored data, which may have changed since the first request. */
export function createFindReplay({ db }: { db: Db }): FindReplay {
  return async (orgId, { endpoint, content, idempotencyKey: key }) => {
    if (key === undefined) return null;
    const used = await findUsedKey(db, orgId, { key, contentHash: requestHash(endpoint, sortKeys(content)) });
    return used && replayOf(used);
  };
}

function hashOf({ endpoint, submissions, content }: BatchRequest): Uint8Array<ArrayBuffer> {
  return requestHash(endpoint, content === undefined ? contentOf(submissions) : sortKeys(content));
}

function replayOf({ isSame, answer }: UsedKey): Submitted[] {
  if (!isSame) throw keyReused();
  return answer.map(({ id, status }) => ({ id, status, replayed: true }));
}

export function keyReused(): AppError {
  return new AppError('idempotency_key_reused', 'This Idempotency-Key was used for a different request.');
}

/** The result of storing jobs. `inserted`: those that were stored now. */
interface Stored {
  kind: string;
  inserted?: readonly InsertedJob[];
}

/** Stores jobs and enqueues those that were stored now. Returns `busy` only if a concurrent duplicate takes too long. */
export async function storeDrafts<R extends Stored>(
  deps: SubmitBatchDeps,
  drafts: readonly JobDraft[],
  store: (jobs: readonly NewJob[]) => Promise<R>,
): Promise<R> {
  const startedAt = performance.now();
  for (;;) {
    const outcome = await storeOnce(deps, drafts, store);
    if (outcome.kind !== 'busy' || elapsedMs(startedAt) > (deps.duplicateWaitMs ?? DUPLICATE_WAIT_MS)) return outcome;
  }
}

async function storeOnce<R extends Stored>(
  deps: SubmitBatchDeps,
  drafts: readonly JobDraft[],
  store: (jobs: readonly NewJob[]) => Promise<R>,
): Promise<R> {
  const jobs = reserveCapacity(deps, byPriority(drafts));
  let inserted: readonly InsertedJob[] = [];
  try {
    const outcome = await store(inOrderOf(drafts, jobs));
    inserted = outcome.inserted ?? [];
    return outcome;
  } finally {
    enqueueInserted(deps, jobs, inserted);
  }
}

/** If there is not enough capacity for all jobs, those with the highest priority get it. */
function byPriority(jobs: readonly JobDraft[]): JobDraft[] {
  return [...jobs].sort((a, b) => b.priority - a.priority);
}

function inOrderOf<T extends JobDraft>(jobs: readonly JobDraft[], same: readonly T[]): T[] {
  const order = new Map(jobs.map(({ key }, n) => [key, n]));
  return [...same].sort((a, b) => (order.get(a.key) ?? 0) - (order.get(b.key) ?? 0));
}

export function inUse(hasKey: boolean): AppError {
  const what = hasKey ? 'this Idempotency-Key, or with one of these ids,' : 'one of these ids';
  return new AppError('conflict', `Another request with ${what} is still in progress.`);
}
