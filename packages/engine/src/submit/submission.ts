import { createHash } from 'node:crypto';
import {
  AppError,
  type ErrorDetail,
  type JobKey,
  type Json,
  type JsonObject,
  type OrgId,
  type VisibleTypes,
} from '@jobline/contracts';
import {
  type Db,
  findUsedKey,
  type IdempotencyKey,
  type JobSpec,
  listRejectedTypes,
  specOf,
  type UsedKey,
  unknownLimits,
} from '@jobline/db';
import { type Condition, findSubmitted } from '@jobline/db/job-transitions';
import type { NamedSource } from '@jobline/handlers';
import { newId } from '@jobline/runtime';
import type { BacklogLimit } from '../limits/backlog-limit.js';
import { aboutTexts } from './abouts.js';
import { addConditionIssues } from './after.js';
import { INVALID_REQUEST } from './check-payload.js';
import type { JobDraft } from './enqueue.js';
import type { Routes } from './routes.js';
import { refsOf, sourceIssues, sourcesOf } from './sources.js';

/** A validated and normalized request to run a job. */
export interface Submission extends Omit<JobSpec, 'maxRetries'> {
  /** Absent: the default of the type. */
  maxRetries?: number | undefined;
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
  /** The jobs for which it waits. Absent: none. */
  after?: readonly Condition[] | undefined;
  /** The caller's spelling. */
  payloadName?: 'payload' | 'Payload';
}

/** The job, and for its checks what they need of the submission. */
interface CheckedDraft extends JobDraft {
  named?: readonly NamedSource[];
}

/** Asks where jobs of the type run first, because that is also how the default of `max_retries` becomes known. */
export async function toJobDraft(
  routes: Pick<Routes, 'queueFor' | 'maxRetriesOf'>,
  orgId: OrgId,
  submission: Submission,
  traceparent: string | null = null,
): Promise<CheckedDraft> {
  const { id, type, payload, payloadName = 'payload', runAt, rerunOf, scheduleId, expiresAt, after } = submission;
  const key = newJobKey();
  const queue = await routes.queueFor(type);
  const { maxRetries = routes.maxRetriesOf(type) } = submission;
  const sources = sourcesOf(type, payload);
  return {
    ...specOf({ ...submission, maxRetries }),
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
    after,
    sources: refsOf(sources),
    abouts: aboutTexts(type, payload),
    ...(sources.length > 0 && {
      named: sources.map((one) => ({ ...one, path: one.path.replace('payload', payloadName) })),
    }),
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
 * were added later count only if they are set, so that the hashes of older jobs stay valid. No `max_retries` counts as 0,
 * as it always has, so that a repeated submission is recognized after the default of its type has changed.
 */
function contentOf({ payload, runAt, expiresAt, after = [], ...spec }: Submission): Json {
  const { type, maxRetries = 0, priority, tags, limitKey, limitName, callbackUrl } = spec;
  const common = [type, sortKeys(payload), maxRetries, priority, runAt?.toISOString() ?? null];
  const added: JsonObject = {
    ...(tags?.length && { tags: [...tags].sort() }),
    ...(limitKey != null && { key: limitKey }),
    ...(limitName != null && { limit: limitName }),
    ...(expiresAt !== undefined && { expires_at: expiresAt.toISOString() }),
    ...(callbackUrl != null && { callback_url: callbackUrl }),
    ...(after.length > 0 && { after: after.map(({ id, when }) => [id, when]) }),
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
  routes: Pick<Routes, 'isKnown'>;
  /** Bounds the pending jobs of each organization. If it is absent, there is no bound. */
  backlogLimit?: BacklogLimit;
}

/** What a request asks for: jobs of which all are stored or none, or each that can be. */
export interface RequestMode {
  mode: 'all' | 'each';
  key: IdempotencyKey | null;
  /** The location of a field of the nth submission in the request, for error details. */
  pathIn(n: number, name: string): string;
  /** The job types that the caller may see. */
  types: VisibleTypes;
  /** The ids of jobs of the request that were rejected before. */
  rejectedIds?: ReadonlySet<string>;
}

/** Whether a job may have issues that checkNew finds, in addition to the organization's bound of pending jobs. */
export function mayHaveIssues(
  { routes }: CheckDeps,
  { expiresAt, limitName, type, named, after }: CheckedDraft,
): boolean {
  const hasNames = limitName != null || named !== undefined || after !== undefined;
  return hasNames || expiresAt !== undefined || !routes.isKnown(type);
}

/**
 * Returns the issues of the jobs that must not be stored, or the use of the key by an earlier request. Jobs that are stored
 * already have none, because a replay is answered as before. Throws if too many jobs would be pending and, with mode `all`,
 * if a job has issues. Reads nothing in the usual case.
 */
export async function checkNew(
  deps: CheckDeps,
  orgId: OrgId,
  jobs: readonly CheckedDraft[],
  request: RequestMode,
): Promise<ReadonlyMap<JobDraft, ErrorDetail[]> | UsedKey> {
  const { db, backlogLimit } = deps;
  const { mode, key, pathIn, types } = request;
  const issues = await newJobIssues(deps, orgId, jobs, types);
  await addConditionIssues(db, orgId, { ...request, jobs, issues });
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
 * The issues of jobs that are only known now, because replays are answered without them: a job has expired, names a limit that its
 * organization does not have, takes bytes from what does not exist, or is of a type that it rejects because no worker ever had it. `path` is relative to the submission.
 */
async function newJobIssues(
  { db, routes }: CheckDeps,
  orgId: OrgId,
  jobs: readonly CheckedDraft[],
  visible: VisibleTypes,
): Promise<Map<JobDraft, ErrorDetail[]>> {
  const types = new Set(jobs.flatMap(({ type }) => (routes.isKnown(type) ? [] : [type])));
  const rejected = types.size === 0 ? types : await listRejectedTypes(db, orgId, [...types]);
  // A rerun keeps the name of a deleted limit, like its source. So does a run of a schedule.
  const named = jobs.filter(({ rerunOf, scheduleId }) => rerunOf === undefined && scheduleId === undefined);
  const names = new Set(named.flatMap(({ limitName }) => limitName ?? []));
  const unknown = names.size === 0 ? new Set<string>() : await unknownLimits(db, orgId, [...names]);
  const reading = jobs.flatMap((job) => (job.named ? [{ job, named: job.named, awaited: awaitedBy(job) }] : []));
  const unreadable = reading.length === 0 ? null : await sourceIssues(db, orgId, reading, visible);
  const issues = new Map<JobDraft, ErrorDetail[]>([...(unreadable ?? [])].map(([{ job }, found]) => [job, found]));
  for (const job of jobs) {
    const own = [
      ...(issues.get(job) ?? []),
      ...(rejected.has(job.type) ? [unknownType(job.type)] : []),
      ...(isExpired(job) ? [{ path: 'expires_at', message: '"expires_at" must be later than now' }] : []),
      ...(job.limitName != null && unknown.has(job.limitName)
        ? [{ path: 'limit', message: `"limit" is not a limit of your organization: ${job.limitName}` }]
        : []),
    ];
    if (own.length > 0) issues.set(job, own);
    else issues.delete(job);
  }
  return issues;
}

/** The ids of jobs that a job waits for. */
function awaitedBy({ after = [] }: JobDraft): ReadonlySet<string> {
  return new Set(after.map(({ id }) => id));
}

/** The issue of a type that no worker ever had. */
export function unknownType(type: string): ErrorDetail {
  return { path: 'type', message: `"type" is a job type that no worker has ever had: ${type}` };
}

function isExpired({ expiresAt }: Pick<JobDraft, 'expiresAt'>): boolean {
  return expiresAt !== undefined && expiresAt.getTime() <= Date.now();
}

/** The error for submissions with issues. */
export function invalidSubmissions(details: readonly ErrorDetail[]): AppError {
  return new AppError('validation_failed', INVALID_REQUEST, { details });
}
