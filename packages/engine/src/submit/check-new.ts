import { AppError, type ErrorDetail, type OrgId } from '@jobline/contracts';
import { type Db, findUsedKey, type IdempotencyKey, type UsedKey, unknownLimits } from '@jobline/db';
import { findSubmitted } from '@jobline/db/job-transitions';
import type { BacklogLimit } from '../limits/backlog-limit.js';
import type { JobDraft } from './enqueue.js';

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
