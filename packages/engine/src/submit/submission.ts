import { createHash } from 'node:crypto';
import { AppError, type ErrorDetail, type JobKey, type Json, type JsonObject, type OrgId } from '@jobline/contracts';
import {
  type Db,
  findUsedKey,
  type IdempotencyKey,
  type JobSpec,
  specOf,
  type UsedKey,
  unknownLimits,
} from '@jobline/db';
import { findSubmitted } from '@jobline/db/job-transitions';
import { newId } from '@jobline/runtime';
import type { BacklogLimit } from '../limits/backlog-limit.js';
import type { JobDraft } from './enqueue.js';

/** A validated and normalized request to run a job. */
export interface Submission extends JobSpec {
  /** Chosen by the caller. If it is absent, the service generates one. */
  id?: string | undefined;
  payload: JsonObject;
  /** The earliest time at which the job may run. Null or a time in the past means now. */
  runAt: Date | null;
  /** The id of the job of which this one is a rerun. */
  rerunOf?: string | undefined;
  /** The schedule that is run by hand. Such a job is accepted although its limit is deleted or too many jobs are pending. */
  scheduleId?: string | undefined;
  /** No attempt starts at or after this time. */
  expiresAt?: Date | undefined;
}

export function toJobDraft(
  queue: string,
  orgId: OrgId,
  submission: Submission,
  traceparent: string | null = null,
): JobDraft {
  const { id, payload, runAt, rerunOf, scheduleId, expiresAt } = submission;
  const key = newJobKey();
  return {
    ...specOf(submission),
    key,
    orgId,
    id: id ?? key,
    queue,
    payload: JSON.stringify(payload),
    contentHash: id === undefined ? null : sha256(contentOf(submission)),
    runAt,
    traceparent,
    rerunOf,
    scheduleId,
    expiresAt,
  };
}

export function newJobKey(): JobKey {
  return newId() as JobKey; // The cast: this is where job keys are generated.
}

/**
 * The idempotency key of a request, with a hash that is equal for two requests to one endpoint with the same content. Null: the
 * request has none.
 */
export function requestKey(endpoint: string, key: string | undefined, content: () => Json): IdempotencyKey | null {
  return key === undefined ? null : { key, contentHash: sha256([endpoint, sortKeys(content())]) };
}

/** Like requestKey, for a request whose content is the same submissions with the same ids in the same order. */
export function submissionsKey(
  endpoint: string,
  key: string | undefined,
  submissions: readonly Submission[],
): IdempotencyKey | null {
  if (key === undefined) return null;
  const content = submissions.map((submission) => [submission.id ?? null, contentOf(submission)]);
  return { key, contentHash: sha256([endpoint, content]) };
}

/**
 * Equal for two submissions that ask for the same job, whatever the spelling and the key order of their JSON. Fields that
 * were added later count only if they are set, so that the hashes of older jobs stay valid.
 */
function contentOf({ payload, runAt, expiresAt, ...spec }: Submission): Json {
  const { type, maxRetries, priority, tags, limitKey, limitName, callbackUrl } = spec;
  const common = [type, sortKeys(payload), maxRetries, priority, runAt?.toISOString() ?? null];
  const added: JsonObject = {
    ...(tags?.length && { tags: [...tags].sort() }),
    ...(limitKey != null && { key: limitKey }),
    ...(limitName != null && { limit: limitName }),
    ...(expiresAt !== undefined && { expires_at: expiresAt.toISOString() }),
    ...(callbackUrl != null && { callback_url: callbackUrl }),
  };
  return Object.keys(added).length === 0 ? common : [...common, added];
}

function sha256(value: Json): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(JSON.stringify(value)).digest());
}

/** The payload validation bounds the depth. Objects become lists of pairs, so that no key has a special meaning. */
function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return { object: keys.map((key) => [key, sortKeys(value[key] ?? null)]) };
}

export interface CheckDeps {
  db: Db;
  /** Bounds the pending jobs of each organization. If it is absent, there is no bound. */
  backlogLimit?: BacklogLimit;
}

/** What a request asks for: jobs of which all are stored or none, or each that can be. */
export interface RequestMode {
  mode: 'all' | 'each';
  key: IdempotencyKey | null;
  /** The location of a field of the nth submission in the request, for error details. */
  pathIn(n: number, name: string): string;
}

/** Whether a job may have issues that checkNew finds, in addition to the organization's bound of pending jobs. */
export function mayHaveIssues({ expiresAt, limitName }: JobDraft): boolean {
  return expiresAt !== undefined || limitName != null;
}

/**
 * Returns the issues of the jobs that must not be stored, or the use of the key by an earlier request. Jobs that are stored
 * already have none, because a replay is answered as before. Throws if too many jobs would be pending and, with mode `all`,
 * if a job has issues. Reads nothing in the usual case.
 */
export async function checkNew(
  { db, backlogLimit }: CheckDeps,
  orgId: OrgId,
  jobs: readonly JobDraft[],
  { mode, key, pathIn }: RequestMode,
): Promise<ReadonlyMap<JobDraft, ErrorDetail[]> | UsedKey> {
  const issues = await newJobIssues(db, orgId, jobs);
  const counted = jobs.filter((job) => job.scheduleId === undefined && (mode === 'all' || !issues.has(job))).length;
  const excess = counted === 0 ? null : ((await backlogLimit?.excess(orgId, counted)) ?? null);
  if (jobs.length > 0 && issues.size === 0 && excess === null) return issues;

  const used = key && (await findUsedKey(db, orgId, key));
  if (used) return used;
  const doubtful = jobs.filter((job) => job.contentHash !== null && (excess !== null || issues.has(job)));
  const stored = new Set(doubtful.length === 0 ? [] : (await findSubmitted(db, doubtful)).map(({ id }) => id));
  for (const job of jobs) if (stored.has(job.id)) issues.delete(job);
  if (mode === 'all' && issues.size > 0) {
    const at = (n: number, issue: ErrorDetail) => ({ ...issue, path: pathIn(n, issue.path) });
    throw invalidSubmissions(jobs.flatMap((job, n) => (issues.get(job) ?? []).map((issue) => at(n, issue))));
  }
  if (excess !== null && jobs.some((job) => !stored.has(job.id) && !issues.has(job))) throw excess;
  return issues;
}

/**
 * The issues of jobs that are only known now, because replays are answered without them: a job has expired, or names a limit
 * that its organization does not have. `path` is relative to the submission.
 */
async function newJobIssues(db: Db, orgId: OrgId, jobs: readonly JobDraft[]): Promise<Map<JobDraft, ErrorDetail[]>> {
  // A rerun keeps the name of a deleted limit, like its source. So does a run of a schedule.
  const named = jobs.filter(({ rerunOf, scheduleId }) => rerunOf === undefined && scheduleId === undefined);
  const names = new Set(named.flatMap(({ limitName }) => limitName ?? []));
  const unknown = names.size === 0 ? new Set<string>() : await unknownLimits(db, orgId, [...names]);
  const issues = new Map<JobDraft, ErrorDetail[]>();
  for (const job of jobs) {
    const own = [
      ...(isExpired(job) ? [{ path: 'expires_at', message: '"expires_at" must be later than now' }] : []),
      ...(job.limitName != null && unknown.has(job.limitName)
        ? [{ path: 'limit', message: `"limit" is not a limit of your organization: ${job.limitName}` }]
        : []),
    ];
    if (own.length > 0) issues.set(job, own);
  }
  return issues;
}

function isExpired({ expiresAt }: Pick<JobDraft, 'expiresAt'>): boolean {
  return expiresAt !== undefined && expiresAt.getTime() <= Date.now();
}

/** The error for submissions with issues. */
export function invalidSubmissions(details: readonly ErrorDetail[]): AppError {
  return new AppError('validation_failed', 'The request is invalid; see details.', { details });
}
