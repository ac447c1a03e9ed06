import { AppError, type JobStatus, type OrgId } from '@jobline/contracts';
import { type Db, type DbSession, withTimeLimit } from '@jobline/db';
import {
  failCanceledRuns,
  listCanceledRuns,
  listOrphanedCanceledRuns,
  type Run,
  requestCancel,
} from '@jobline/db/job-transitions';
import type { EngineEvents } from './events.js';
import { REASONS } from './job-log.js';
import { CANCELED } from './outcome.js';
import type { Producer } from './queue/producer.js';
import type { Runs } from './worker/runs.js';

/**
 * Cancels a job. A pending one has failed when this resolves, and is never run. Of a processing one the handler's signal
 * fires, wherever it runs, and it never runs again: it ends canceled, or as it ended if it was too late. Answers with
 * the status of that moment; null: the organization has no such job. Throws AppError `conflict` when it is over.
 */
export type Cancel = (orgId: OrgId, id: string) => Promise<JobStatus | null>;

/** The row first, then word of it. The word may get lost: the heartbeat of whoever runs the job looks at the row too. */
export function createCancel(deps: { db: Db; producer: Producer; events: EngineEvents }): Cancel {
  return async (orgId, id) => {
    const job = await requestCancel(deps.db, orgId, id, CANCELED.message);
    if (!job) return null;
    if (job.was === 'done' || job.was === 'failed') {
      throw new AppError('conflict', `The job "${id}" is over: its status is ${job.was}.`);
    }
    const { key, type } = job;
    const isRunning = job.was === 'processing';
    if (!isRunning) {
      // It would do no harm, but fill a place in its queue's window.
      deps.producer.drop(job);
      deps.events.emit('job.ended', { key, orgId, type, errorCode: 'canceled' });
    } else if (job.token !== null) {
      deps.producer.publishCanceled(job.token);
    }
    deps.events.emit('job.canceled', { key, orgId, isRunning });
    return isRunning ? 'processing' : 'failed';
  };
}

/** It is repeated, and holds a connection no longer when an old snapshot makes it slow. */
const LIST_LIMIT_MS = 10_000;

/** Fires the signals of a worker's own runs whose jobs are canceled, for those of which no word has come. */
export async function stopCanceled(deps: { db: Db; runs: Runs }, workerId: string): Promise<void> {
  const list = (session: DbSession) => listCanceledRuns(session, workerId);
  for (const token of await withTimeLimit(deps.db, LIST_LIMIT_MS, list)) deps.runs.cancel(token);
}

/** Ends the runs of dead workers whose jobs are canceled: nobody takes them over. */
export async function failOrphanedCanceled(deps: { db: Db; events: EngineEvents }, limit: number): Promise<void> {
  await failCanceled(deps, await listOrphanedCanceledRuns(deps.db, limit), REASONS.workerDied);
}

/** Of runs that nobody has in hand any more, ends those whose jobs are canceled: they are not given back. */
export async function failCanceled(
  deps: { db: Db; events: EngineEvents },
  runs: readonly Run[],
  reason: string,
): Promise<void> {
  if (runs.length === 0) return;
  const ended = await failCanceledRuns(deps.db, runs, reason, CANCELED.message);
  for (const run of ended) deps.events.emit('job.ended', { ...run, errorCode: 'canceled' });
  if (ended.length > 0) deps.events.emit('runs.ended', { count: ended.length, reason });
}
