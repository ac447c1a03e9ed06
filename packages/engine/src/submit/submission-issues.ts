import { AppError, type ErrorDetail, type OrgId } from '@jobline/contracts';
import { type Db, unknownLimits } from '@jobline/db';
import type { JobDraft } from './enqueue.js';

/**
 * The issues of jobs that are only known now, because replays are answered without them: a job has expired, or names a limit
 * that its organization does not have. `path` is relative to the submission.
 */
export async function newJobIssues(
  db: Db,
  orgId: OrgId,
  jobs: readonly JobDraft[],
): Promise<ReadonlyMap<JobDraft, ErrorDetail[]>> {
  // A rerun keeps the name of a deleted limit, like its source. So does a run of a schedule.
  const named = jobs.filter(({ rerunOf, scheduleId }) => rerunOf === undefined && scheduleId === undefined);
  const names = new Set(named.flatMap(({ limitName }) => limitName ?? []));
  const unknown = names.size === 0 ? new Set<string>() : await unknownLimits(db, orgId, [...names]);
  const issues = new Map<JobDraft, ErrorDetail[]>();
  for (const job of jobs) {
    const own = [
      ...(isExpired(job) ? [{ path: 'expires_at', message: '"expires_at" must be later than now' }] : []),
      ...(job.limitName !== undefined && unknown.has(job.limitName)
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

/** The error for submissions whose ids belong to different jobs. `path` is the location of the id in the request. */
export function idsTaken(taken: readonly { path: string; id: string }[]): AppError {
  const message =
    taken.length === 1
      ? `The id "${taken[0]?.id}" belongs to a different job.`
      : `${taken.length} ids belong to different jobs.`;
  return new AppError('conflict', message, {
    details: taken.map(({ path }) => ({ path, message: 'belongs to a job with different content' })),
  });
}
