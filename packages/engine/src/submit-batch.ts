import { AppError, assertNever, type OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { type BatchInsertResult, type IdempotencyKey, insertBatch } from '@jobline/db/job-transitions';
import { elapsedMs, noTracing, type Tracing, traced } from '@jobline/runtime';
import type { Routes } from './routes.js';
import { type StoreDeps, store } from './store.js';
import { type JobDraft, requestHash, type Submission, type Submitted, toNewJob } from './submission.js';
import { idsTaken } from './submit.js';

/** One request for several jobs, or for one that is to be made once. */
export interface BatchRequest {
  submissions: readonly Submission[];
  /** Makes the request once: with the same key again nothing is done, and the answer is the same. */
  idempotencyKey?: string | undefined;
  /** Which endpoint was called: the same key at another is another request. */
  endpoint: string;
  /** Its caller's own span, for the case that nothing is traced here. */
  traceparent?: string | null;
  /** Where the request has the id of its nth submission, for a refusal. */
  pathOfId(n: number): string;
}

/**
 * Stores all of the jobs, or none: in one transaction, and in one add to each of their queues. Answers in order, for
 * each whether it was there before. The ids among them must differ. Throws AppError `conflict` when an id is taken by
 * a different job, or the same key or an id is in use for too long, and `idempotency_key_reused`.
 */
export type SubmitBatch = (orgId: OrgId, request: BatchRequest) => Promise<Submitted[]>;

export interface SubmitBatchDeps extends StoreDeps {
  db: Db;
  routes: Routes;
  /** Absent: nothing is traced. */
  tracing?: Tracing;
  /** How long a request waits for another with its key, or with one of its ids. */
  duplicateWaitMs?: number;
}

const TWIN_WAIT_MS = 30_000;

export function createSubmitBatch(deps: SubmitBatchDeps): SubmitBatch {
  const { tracing = noTracing } = deps;

  async function submit(orgId: OrgId, request: BatchRequest): Promise<Submitted[]> {
    const traceparent = tracing.traceparent() ?? request.traceparent ?? null;
    const { submissions, idempotencyKey, endpoint } = request;
    const jobs: JobDraft[] = [];
    for (const submission of submissions) {
      jobs.push(toNewJob(await deps.routes(submission.type), orgId, submission, traceparent));
    }
    const once =
      idempotencyKey === undefined ? null : { key: idempotencyKey, contentHash: requestHash(endpoint, submissions) };

    const outcome = await insert(deps, orgId, jobs, once);
    switch (outcome.kind) {
      case 'stored': {
        const existing = new Map(outcome.existing.map(({ id, status }) => [id, status]));
        return jobs.map(({ id }) => ({ id, status: existing.get(id) ?? 'pending', replayed: existing.has(id) }));
      }
      case 'used':
        if (!outcome.isSame) throw keyReused();
        return outcome.answer.map((job) => ({ ...job, replayed: true }));
      case 'taken': {
        const taken = new Set(outcome.jobs.map(({ id }) => id));
        throw idsTaken(jobs.flatMap(({ id }, n) => (taken.has(id) ? [{ path: request.pathOfId(n), id }] : [])));
      }
      case 'busy':
        throw inUse(once !== null);
      default:
        return assertNever(outcome);
    }
  }

  return (orgId, request) =>
    traced(
      tracing,
      () => ({ name: 'submit', kind: 'internal', attributes: { 'jobline.jobs': request.submissions.length } }),
      () => submit(orgId, request),
    );
}

/** `busy` only when the others have taken too long. */
async function insert(
  deps: SubmitBatchDeps,
  orgId: OrgId,
  jobs: readonly JobDraft[],
  idempotencyKey: IdempotencyKey | null,
): Promise<BatchInsertResult> {
  const startedAt = performance.now();
  for (;;) {
    const outcome = await store(deps, byPriority(jobs), (placed) =>
      insertBatch(deps.db, orgId, inOrderOf(jobs, placed), idempotencyKey),
    );
    if (outcome.kind !== 'busy' || elapsedMs(startedAt) > (deps.duplicateWaitMs ?? TWIN_WAIT_MS)) return outcome;
  }
}

/** Where there is no room for all, it is for those that are to go first. */
function byPriority(jobs: readonly JobDraft[]): JobDraft[] {
  return [...jobs].sort((a, b) => b.priority - a.priority);
}

function inOrderOf<T extends JobDraft>(jobs: readonly JobDraft[], same: readonly T[]): T[] {
  const order = new Map(jobs.map(({ key }, n) => [key, n]));
  return [...same].sort((a, b) => (order.get(a.key) ?? 0) - (order.get(b.key) ?? 0));
}

function inUse(hasKey: boolean): AppError {
  const what = hasKey ? 'this Idempotency-Key, or with one of these ids,' : 'one of these ids';
  return new AppError('conflict', `Another request with ${what} is still in progress.`);
}

function keyReused(): AppError {
  return new AppError('idempotency_key_reused', 'This Idempotency-Key was used for a different request.');
}
