import { AppError, assertNever, type OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { insertTogether, type Once, type Together } from '@jobline/db/job-transitions';
import type { Catalogue } from '@jobline/handlers';
import { elapsedMs } from '@jobline/runtime';
import { type StoreDeps, store } from './store.js';
import { requestHash, type Submission, type Submitted, toNewJob, type Unplaced } from './submission.js';
import { idsTaken } from './submit.js';

/** One request for several jobs, or for one that is to be made once. */
export interface TogetherRequest {
  submissions: readonly Submission[];
  /** Makes the request once: with the same key again nothing is done, and the answer is the same. */
  idempotencyKey?: string | undefined;
  /** Which endpoint was called: the same key at another is another request. */
  endpoint: string;
  /** Where the request has the id of its nth submission, for a refusal. */
  pathOfId(n: number): string;
}

/**
 * Stores all of the jobs, or none: in one transaction, and in one add to each of their queues. Answers in order, for
 * each whether it was there before. The ids among them must differ. Throws AppError `conflict` when an id is taken by
 * a different job, or the same key is in use for too long, and `idempotency_key_reused`.
 */
export type SubmitTogether = (orgId: OrgId, request: TogetherRequest) => Promise<Submitted[]>;

export interface SubmitTogetherDeps extends StoreDeps {
  db: Db;
  catalogue: Catalogue;
  /** How long a request waits for another with its key. */
  twinWaitMs?: number;
}

const TWIN_WAIT_MS = 30_000;

export function createSubmitTogether(deps: SubmitTogetherDeps): SubmitTogether {
  return async (orgId, request) => {
    const { submissions, idempotencyKey, endpoint } = request;
    const jobs = submissions.map((submission) => toNewJob(deps.catalogue, orgId, submission));
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
        throw new AppError('conflict', 'Another request with this Idempotency-Key is still in progress.');
      default:
        return assertNever(outcome);
    }
  };
}

/** `busy` only when the others have taken too long. */
async function insert(
  deps: SubmitTogetherDeps,
  orgId: OrgId,
  jobs: readonly Unplaced[],
  once: Once | null,
): Promise<Together> {
  const startedAt = performance.now();
  for (;;) {
    const outcome = await store(deps, jobs, (placed) => insertTogether(deps.db, orgId, placed, once));
    if (outcome.kind !== 'busy' || elapsedMs(startedAt) > (deps.twinWaitMs ?? TWIN_WAIT_MS)) return outcome;
  }
}

function keyReused(): AppError {
  return new AppError('idempotency_key_reused', 'This Idempotency-Key was used for a different request.');
}
