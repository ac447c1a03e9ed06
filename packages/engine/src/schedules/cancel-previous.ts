import { AppError } from '@jobline/contracts';
import { type Db, FIRST_ID, forgetCanceled, listSchedulesToCancel } from '@jobline/db';
import type { Cancel } from '../changes/cancel.js';

/**
 * Cancels some of the jobs that later planned times of their schedules replace. Returns whether there may be more. The rows of
 * the schedules say what to cancel, so another call continues, in whatever process.
 */
export type CancelPrevious = () => Promise<boolean>;

/** Few in one call, so that planned times are not delayed. Schedules take turns. */
const SCHEDULES = 20;
const JOBS_OF_EACH = 2;

export function createCancelPrevious({ db, cancel }: { db: Db; cancel: Cancel }): CancelPrevious {
  let after = FIRST_ID;

  return async () => {
    const page = await listSchedulesToCancel(db, { after, limit: SCHEDULES, jobs: JOBS_OF_EACH });
    for (const { orgId, jobIds } of page) for (const id of jobIds) await cancel(orgId, id).catch(ignoreFinished);
    if (page.length > 0) await forgetCanceled(db, page);
    const isLast = page.length < SCHEDULES;
    after = isLast ? FIRST_ID : (page.at(-1)?.id ?? FIRST_ID);
    return !isLast || page.some(({ jobIds }) => jobIds.length === JOBS_OF_EACH);
  };
}

function ignoreFinished(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'conflict')) throw error;
}
