import { AppError, type JobStatus, type OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import {
  type CancelTarget,
  failCanceledRuns,
  listOrphanedCanceledRuns,
  type Run,
  requestCancel,
} from '@jobline/db/job-transitions';
import { CANCELED } from '../attempt/outcome.js';
import { entryOf } from '../queue/entry.js';
import type { Producer } from '../queue/producer.js';
import type { EngineEvents } from '../reporting/events.js';
import { REASONS } from '../reporting/job-log.js';

/**
 * Cancels a job. A pending job has failed when this resolves, and never runs. For a processing job, the signal of the
 * handler fires, whichever worker runs it, and the job never runs again: it fails as canceled, or keeps its own
 * outcome if the cancellation came too late. Returns the status at that moment, or null if the organization has no
 * such job. Throws AppError `conflict` if the job has finished.
 */
export type Cancel = (orgId: OrgId, id: string) => Promise<JobStatus | null>;

/**
 * Updates the row first and then publishes the cancellation. The message may get lost: each worker also checks the
 * rows of its own runs with its heartbeat.
 */
export function createCancel(deps: { db: Db; producer: Producer; events: EngineEvents }): Cancel {
  return async (orgId, id) => {
    const job = await requestCancel(deps.db, orgId, id, CANCELED.message);
    if (!job) return null;
    if (job.was === 'done' || job.was === 'failed') {
      throw new AppError('conflict', `Job "${id}" cannot be canceled: it has already finished (status: ${job.was}).`);
    }
    announceCanceled(deps, orgId, job);
    return job.was === 'processing' ? 'processing' : 'failed';
  };
}

/** What follows a committed cancel of a job that had not finished. */
export function announceCanceled(
  { producer, events }: { producer: Producer; events: EngineEvents },
  orgId: OrgId,
  job: CancelTarget,
): void {
  const { key, type } = job;
  const isRunning = job.was === 'processing';
  if (!isRunning) {
    // The entry would be harmless, but it would use capacity in the window of its queue. The entry of a chunk stays.
    producer.drop(entryOf(job));
    events.emit('job.failed', { key, orgId, type, errorCode: 'canceled' });
  } else if (job.token !== null) {
    producer.publishCanceled(job.token);
  }
  events.emit('job.canceled', { key, orgId, isRunning });
}

/** Sets the canceled jobs of dead workers to failed. No other worker takes over such jobs. */
export async function failOrphanedCanceled(deps: { db: Db; events: EngineEvents }, limit: number): Promise<void> {
  await failCanceled(deps, await listOrphanedCanceledRuns(deps.db, limit), REASONS.workerDied);
}

/** Fails those jobs of orphaned runs that are canceled, instead of releasing them. */
export async function failCanceled(
  deps: { db: Db; events: EngineEvents },
  runs: readonly Run[],
  reason: string,
): Promise<void> {
  if (runs.length === 0) return;
  const failed = await failCanceledRuns(deps.db, runs, reason, CANCELED.message);
  for (const run of failed) deps.events.emit('job.failed', { ...run, errorCode: 'canceled' });
  if (failed.length > 0) deps.events.emit('runs.failed', { count: failed.length, reason });
}
