import { AppError, type OrgId } from '@jobline/contracts';
import { type DeletedJob, deleteFinished } from '@jobline/db/job-transitions';
import type { EngineEvents } from '../reporting/events.js';
import { type ClearDeletedDeps, createClearDeleted } from '../tasks/clear-deleted.js';

/**
 * Deletes a finished job with its payload, result, log, artifacts and payment, and the texts of its messages. When it
 * resolves, the job does not exist any more, and its id is free. Returns false if the organization has no such job.
 * Throws AppError `conflict` if the job is not finished.
 */
export type Delete = (orgId: OrgId, id: string) => Promise<boolean>;

/** How many times a request deletes a part of a large log. Retention deletes the rest. */
const MAX_PARTS = 20;

export function createDelete(deps: ClearDeletedDeps & { events: EngineEvents }): Delete {
  const clear = createClearDeleted(deps);

  /** Never rejects: the job is deleted already, and retention deletes what is left of it. */
  async function clearAll(job: DeletedJob): Promise<void> {
    try {
      for (let part = 0; part < MAX_PARTS && (await clear([job])); part++);
    } catch (error) {
      deps.events.emit('step.failed', { step: 'clear deleted job', error });
    }
  }

  return async (orgId, id) => {
    const result = await deleteFinished(deps.db, orgId, id);
    if (result.kind === 'gone') return false;
    if (result.kind === 'open') {
      throw new AppError('conflict', `Job "${id}" cannot be deleted: it has not finished. Cancel it first.`);
    }
    await clearAll(result.job);
    return true;
  };
}
