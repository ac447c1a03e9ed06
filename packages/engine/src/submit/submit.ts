import { createHash } from 'node:crypto';
import { AppError, type JobKey, type JobStatus, type Json, type JsonObject, type OrgId } from '@jobline/contracts';
import { type Db, type HotDb, isLockTimeout, isUnavailable } from '@jobline/db';
import { findSubmitted, type InsertedJob, insertJobs, type SubmittedRow } from '@jobline/db/job-transitions';
import { activeTraceparent, type Batcher, createBatcher, elapsedMs, newId, traced } from '@jobline/runtime';
import type { BacklogLimit } from '../limits/backlog-limit.js';
import { type EnqueueDeps, enqueueInserted, type JobDraft, reserveCapacity } from './enqueue.js';
import type { Routes } from './routes.js';
import { idsTaken, invalidSubmissions, newJobIssues } from './submission-issues.js';

/** A validated and normalized request to run a job. */
export interface Submission {
  /** Chosen by the caller. If it is absent, the service generates one. */
  id?: string | undefined;
  type: string;
  payload: JsonObject;
  maxRetries: number;
  priority: number;
  /** The earliest time at which the job may run. Null or a time in the past means now. */
  runAt: Date | null;
  /** The caller's labels. */
  tags?: readonly string[] | undefined;
  /** What limits may count by, such as a customer. */
  limitKey?: string | undefined;
  /** The name of a limit that the job is under, in addition to those that list its type. */
  limitName?: string | undefined;
  /** The id of the job of which this one is a rerun. */
  rerunOf?: string | undefined;
  /** The schedule that is run by hand. Such a job is accepted although its limit is deleted or too many jobs are pending. */
  scheduleId?: string | undefined;
  /** No attempt starts at or after this time. */
  expiresAt?: Date | undefined;
  /** For reports of the end of the job. */
  callbackUrl?: string | undefined;
}

export interface Submitted {
  id: string;
  status: JobStatus;
  /** Whether an earlier submission with the same id and content stored the job. */
  replayed: boolean;
}

/**
 * Stores a job and enqueues its key. When it resolves, the job is committed and cannot be lost, whatever happens to
 * Redis. Throws AppError `validation_failed` if `expiresAt` has passed or the limit is unknown, `rate_limited` if too many
 * jobs of the organization are pending, and `conflict` if the id belongs to a
 * different job, or if another request has been storing a job with this id for too long. The job's attempts continue
 * the trace of this call or, if tracing is off here, the trace of `traceparent`.
 */
export type Submit = (orgId: OrgId, submission: Submission, traceparent?: string | null) => Promise<Submitted>;

export interface SubmitDeps extends EnqueueDeps {
  db: Db;
  hot: HotDb;
  routes: Routes;
  /** Bounds the pending jobs of each organization. If it is absent, there is no bound. */
  backlogLimit?: BacklogLimit;
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
  // Two batchers, because only a job with a chosen id may have to wait for another transaction.
  const generatedIds = batcherOf(IN_FLIGHT.generatedIds, (jobs) => insert(deps, jobs));
  const chosenIds = batcherOf(IN_FLIGHT.chosenIds, (jobs) => insertChosenIds(deps, jobs));

  async function insertOne(job: JobDraft): Promise<SubmittedRow | null> {
    const inserts = job.contentHash === null ? generatedIds : chosenIds;
    const startedAt = performance.now();
    for (;;) {
      const inserted = await inserts.add(job);
      if (inserted !== 'busy') return inserted;
      if (elapsedMs(startedAt) > (deps.idWaitMs ?? ID_WAIT_MS)) {
        throw new AppError(
          'conflict',
          `Another request is storing a job with the id "${job.id}" and is still in progress.`,
        );
      }
    }
  }

  async function submit(orgId: OrgId, submission: Submission, traceparent: string | null): Promise<Submitted> {
    const job = toJobDraft(await deps.routes(submission.type), orgId, submission, traceparent);
    await checkNew(deps, orgId, job);
    const existing = await insertOne(job);
    if (existing === null) return { id: job.id, status: 'pending', replayed: false };
    if (!isSameContent(existing, job)) throw idsTaken([{ path: 'id', id: job.id }]);
    return { id: existing.id, status: existing.status, replayed: true };
  }

  return (orgId, submission, traceparent = null) =>
    traced('submit', { attributes: { 'jobline.type': submission.type } }, () =>
      submit(orgId, submission, activeTraceparent() ?? traceparent),
    );
}

/**
 * Throws if a job must not be stored. A replay of a stored job is answered as before, so it is looked for first. Reads
 * nothing in the usual case.
 */
async function checkNew(deps: SubmitDeps, orgId: OrgId, job: JobDraft): Promise<void> {
  if (job.expiresAt === undefined && job.limitName === undefined && !deps.backlogLimit) return;
  const issues = (await newJobIssues(deps.db, orgId, [job])).get(job) ?? [];
  const excess = job.scheduleId === undefined ? ((await deps.backlogLimit?.excess(orgId, 1)) ?? null) : null;
  if (issues.length === 0 && excess === null) return;
  if (job.contentHash !== null && (await findSubmitted(deps.db, [job])).length > 0) return;
  if (issues.length > 0) throw invalidSubmissions(issues);
  if (excess !== null) throw excess;
}

/**
 * If one organization's job has to wait for another transaction, the jobs of the other organizations are stored
 * without it.
 */
async function insertChosenIds(deps: SubmitDeps, jobs: JobDraft[]): Promise<Inserted[]> {
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
async function insertUnlessLocked(deps: SubmitDeps, jobs: JobDraft[]): Promise<Inserted[] | null> {
  try {
    return await insert(deps, jobs, LOCK_TIMEOUT_MS);
  } catch (error) {
    if (isLockTimeout(error)) return null;
    throw error;
  }
}

async function insert(deps: SubmitDeps, drafts: JobDraft[], lockTimeoutMs = 0): Promise<Inserted[]> {
  const jobs = reserveCapacity(deps, drafts);
  let inserted: InsertedJob[] = [];
  try {
    inserted = await insertJobs(deps.hot, jobs, lockTimeoutMs);
  } finally {
    enqueueInserted(deps, jobs, inserted);
  }
  return inserted.length === jobs.length ? jobs.map(() => null) : findExisting(deps, jobs, inserted);
}

/** A repeated insert may find the row that its own first try stored: that job counts as stored now. */
async function findExisting(
  deps: SubmitDeps,
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

export function toJobDraft(queue: string, orgId: OrgId, submission: Submission, traceparent: string | null): JobDraft {
  const { id, type, payload, maxRetries, priority, runAt, tags, limitKey, limitName, expiresAt, callbackUrl } =
    submission;
  const { rerunOf, scheduleId } = submission;
  const key = newId() as JobKey; // The cast: this is where job keys are generated.
  return {
    key,
    orgId,
    id: id ?? key,
    type,
    queue,
    payload: JSON.stringify(payload),
    contentHash: id === undefined ? null : sha256(content(submission)),
    priority,
    maxRetries,
    runAt,
    traceparent,
    tags,
    limitKey,
    limitName,
    rerunOf,
    expiresAt,
    callbackUrl,
    scheduleId,
  };
}

/** Equal for two lists of the same submissions and ids in the same order. */
export function contentOf(submissions: readonly Submission[]): Json {
  return submissions.map((submission) => [submission.id ?? null, content(submission)]);
}

/** Hashes a request: equal for two requests to one endpoint with the same content. */
export function requestHash(endpoint: string, asked: Json): Uint8Array<ArrayBuffer> {
  return sha256([endpoint, asked]);
}

function isSameContent(existing: SubmittedRow, job: JobDraft): boolean {
  if (!existing.contentHash || !job.contentHash) return false;
  return Buffer.compare(existing.contentHash, job.contentHash) === 0;
}

/**
 * Equal for two submissions that ask for the same job, whatever the spelling and the key order of their JSON. Fields that
 * were added later count only if they are set, so that the hashes of older jobs stay valid.
 */
function content({ type, payload, maxRetries, priority, runAt, tags = [], limitKey, ...more }: Submission): Json {
  const { limitName, expiresAt, callbackUrl } = more;
  const common = [type, sortKeys(payload), maxRetries, priority, runAt?.toISOString() ?? null];
  const added: JsonObject = {
    ...(tags.length > 0 && { tags: [...tags].sort() }),
    ...(limitKey !== undefined && { key: limitKey }),
    ...(limitName !== undefined && { limit: limitName }),
    ...(expiresAt !== undefined && { expires_at: expiresAt.toISOString() }),
    ...(callbackUrl !== undefined && { callback_url: callbackUrl }),
  };
  return Object.keys(added).length === 0 ? common : [...common, added];
}

function sha256(value: Json): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(JSON.stringify(value)).digest());
}

/** The payload validation bounds the depth. Objects become lists of pairs, so that no key has a special meaning. */
export function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return { object: keys.map((key) => [key, sortKeys(value[key] ?? null)]) };
}
