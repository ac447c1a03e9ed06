import { AppError, type JobStatus, type OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { findRetryTarget, type RetryTarget, retryFailed } from '@jobline/db/job-transitions';
import type { EnqueueDeps } from './enqueue.js';
import { NOTES } from './job-log.js';

/**
 * Has a failed job run again, with all its retries. Resolved means committed, as with a submission; answers with its
 * status. Null: the organization has no such job. Throws AppError `conflict` when it has not failed.
 */
export type Retry = (orgId: OrgId, id: string) => Promise<JobStatus | null>;

/** The row first, then the queue: if the process dies in between, reconcile finds the row. */
export function createRetry(deps: EnqueueDeps & { db: Db }): Retry {
  return async (orgId, id) => {
    const job = await findRetryTarget(deps.db, orgId, id);
    if (!job) return null;
    if (job.status !== 'failed') throw notFailed(id, `its status is ${job.status}`);
    if (!(await moveToPending(deps, orgId, job))) {
      // Since it was looked up, somebody else has sent it to run again, or retention has deleted it.
      if (!(await findRetryTarget(deps.db, orgId, id))) return null;
      throw notFailed(id, 'it is being run again');
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
  const hasCapacity = queuePriority !== null;
  let isEnqueued = false;
  try {
    const retried = await retryFailed(db, key, hasCapacity, NOTES.retried);
    if (retried?.stage === 'enqueued') {
      isEnqueued = true;
      const entry = { ...retried, delayMs: 0, isLowPriority: queuePriority === 'low' };
      void deps.enqueue([entry]).then(() => window.confirm(queue, 1));
    } else if (retried) producer.publishWaiting();
    return retried !== null;
  } finally {
    if (hasCapacity && !isEnqueued) window.release(queue, 1);
  }
}

function notFailed(id: string, why: string): AppError {
  return new AppError('conflict', `Only a failed job can be run again, and "${id}" is none: ${why}.`);
}
