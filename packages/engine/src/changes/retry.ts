import { AppError, type JobStatus, type OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { findRetryTarget, type RetryTarget, retryFailed } from '@jobline/db/job-transitions';
import { entryOf } from '../queue/entry.js';
import { NOTES } from '../reporting/job-log.js';
import type { EnqueueDeps } from '../submit/enqueue.js';
import { sourcesGone } from '../submit/sources.js';

/**
 * Retries a failed job manually: all of its retries are available again. When it resolves, the change is committed.
 * Returns the new status, or null if the organization has no such job. Throws AppError `conflict` if the job has not
 * failed, has expired, is redacted, waits for a job that has failed, or takes bytes from a file or a job that is gone.
 */
export type Retry = (orgId: OrgId, id: string) => Promise<JobStatus | null>;

/** Updates the row first and then adds the entry. If the process dies in between, reconcile finds the row. */
export function createRetry(deps: EnqueueDeps & { db: Db }): Retry {
  return async (orgId, id) => {
    const job = await findRetryTarget(deps.db, orgId, id);
    if (!job) return null;
    if (job.status !== 'failed') throw notFailed(id, `is ${job.status}`);
    if (job.isExpired) throw expired(id);
    if (job.isRedacted) throw redacted(id);
    if (job.obstacle) throw obstructed(id, job.obstacle);
    throwIfGone(id, job);
    if (!(await moveToPending(deps, orgId, job))) {
      // Since the job was read, it has expired or was redacted, its source was deleted, another request has retried it, or retention has deleted it.
      const now = await findRetryTarget(deps.db, orgId, id);
      if (!now) return null;
      if (now.isExpired) throw expired(id);
      if (now.isRedacted) throw redacted(id);
      if (now.obstacle) throw obstructed(id, now.obstacle);
      throwIfGone(id, now);
      throw notFailed(id, 'was already retried');
    }
    deps.events.emit('job.retried', { key: job.key, orgId, type: job.type });
    return 'pending';
  };
}

async function moveToPending(
  deps: EnqueueDeps & { db: Db },
  orgId: OrgId,
  { key, queue }: RetryTarget,
): Promise<boolean> {
  const { db, window, producer } = deps;
  const queuePriority = window.reserve(queue, orgId);
  const hasCapacity = queuePriority === 'normal';
  let isEnqueued = false;
  try {
    const retried = await db.$transaction((tx) => retryFailed(tx, key, hasCapacity, NOTES.retried));
    if (retried?.stage === 'enqueued') {
      isEnqueued = true;
      void deps.enqueue([entryOf(retried)]).then(() => window.confirm(queue, 1));
    } else if (retried) producer.publishWaiting();
    return retried !== null;
  } finally {
    if (queuePriority !== null && !isEnqueued) window.release(queue, 1);
  }
}

function expired(id: string): AppError {
  return new AppError(
    'conflict',
    `Job "${id}" has expired, so no attempt may start; run it again as a new job instead.`,
  );
}

function redacted(id: string): AppError {
  return new AppError(
    'conflict',
    `The payload of job "${id}" is redacted, so no attempt may start; rerun it with a complete "payload" instead.`,
  );
}

function obstructed(id: string, other: { id: string; isGone: boolean }): AppError {
  return new AppError(
    'conflict',
    other.isGone
      ? `Job "${id}" needs the job "${other.id}", which does not exist any more; submit it again as a new job.`
      : `Job "${id}" waits for the job "${other.id}", which has failed: retry "${other.id}", or submit "${id}" again as a new job.`,
  );
}

function throwIfGone(id: string, { goneSources }: RetryTarget): void {
  if (goneSources.length > 0) throw sourcesGone(id, goneSources);
}

function notFailed(id: string, why: string): AppError {
  return new AppError('conflict', `Only failed jobs can be retried; "${id}" ${why}.`);
}
