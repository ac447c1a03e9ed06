import { EventEmitter } from 'node:events';
import type { JobErrorCode, JobKey, OrgId, ScheduleMissed } from '@jobline/contracts';
import type { Logger } from '@jobline/runtime';
import type { JobError, Outcome } from '../attempt/outcome.js';

/** Identifies the attempt that an event is about. */
export interface AttemptIds {
  key: JobKey;
  orgId: OrgId;
  type: string;
  attempt: number;
}

/**
 * All events of the engine. They contain identifiers only: no payloads, results or messages of tenants. Only the errors of custom
 * handlers have the texts that their authors wrote.
 */
export interface EngineEventMap {
  'job.submitted': [{ key: JobKey; orgId: OrgId; type: string }];
  /** A failed job was retried manually. */
  'job.retried': [{ key: JobKey; orgId: OrgId; type: string }];
  /** A caller changed a pending job. */
  'job.changed': [{ key: JobKey; orgId: OrgId; type: string }];
  /** A statement of the hot path was sent for this number of jobs. */
  'batch.sent': [{ step: 'submit' | 'claim' | 'record'; size: number }];
  /** Waiting jobs were added to their queue. */
  'jobs.dispatched': [{ queue: string; count: number }];
  /** Redis did not accept the entries. They are added again when it answers, or by reconcile. */
  'enqueue.skipped': [{ count: number }];
  'attempt.started': [AttemptIds];
  'attempt.finished': [AttemptIds & { outcome: Outcome['kind']; errorCode: string | null; durationMs: number }];
  /** Another attempt owns the job now, so the outcome of this one was not written. */
  'attempt.fenced': [AttemptIds];
  /**
   * Postgres rejected the data of the handler: the status of the attempt is recorded, its result and last log lines
   * are not.
   */
  'attempt.reduced': [AttemptIds & { error: unknown }];
  /** A custom handler threw the error with which its attempt failed. */
  'handler.threw': [AttemptIds & { jobId: string; error: JobError }];
  /** A handler ignored its signal. Its outcome is recorded; its slot stays in use until it returns. */
  'handler.unresponsive': [AttemptIds];
  /** The job was canceled. If it was running, its worker is notified. */
  'job.canceled': [{ key: JobKey; orgId: OrgId; isRunning: boolean }];
  /** A job failed with this error, but not because of the outcome of an attempt. */
  'job.failed': [{ key: JobKey; orgId: OrgId; type: string; errorCode: JobErrorCode }];
  /** Log lines that change no status, or progress, were written. */
  'lines.written': [{ orgIds: ReadonlySet<OrgId> }];
  /** Jobs of dead workers were taken over. */
  'jobs.taken-over': [{ count: number }];
  /** Pending jobs that were missing in Redis were enqueued again. */
  'jobs.re-enqueued': [{ count: number }];
  /** Canceled jobs of orphaned runs were failed. */
  'runs.failed': [{ count: number; reason: string }];
  /** Runs were released that belonged to this worker in Postgres but that it did not know. */
  'runs.released': [{ count: number; reason: string }];
  /**
   * A planned time of a schedule is over. `made`: its job is stored. `taken`: another job has its id. `skipped`: an earlier
   * job has not finished. `lateMs`: time from the planned time to the commit of the job.
   */
  'time.planned': [{ scheduleId: string; orgId: OrgId; outcome: 'made' | 'taken' | 'skipped'; lateMs: number }];
  /** Planned times passed while no process made them, and get no job of their own. */
  'times.missed': [{ scheduleId: string; orgId: OrgId; policy: ScheduleMissed }];
  /** An erasure is stored: this process begins at once. */
  'erasure.requested': [{ orgId: OrgId }];
  /** Finished jobs were deleted because they were older than the retention time. */
  'jobs.expired': [{ count: number }];
  /** The worker lost its lease: its runs are aborted and it registers again under a new identity. */
  'lease.lost': [{ workerId: string }];
  /** Postgres does not answer, so the consumers pause. */
  'database.lost': [{ error: unknown }];
  'database.back': [Record<string, never>];
  'queue.error': [{ queue: string; error: unknown }];
  /** A step failed that will be tried again. */
  'step.failed': [{ step: string; error: unknown }];
}

export type EngineEvents = EventEmitter<EngineEventMap>;

export function createEvents(): EngineEvents {
  return new EventEmitter<EngineEventMap>();
}

/** Writes the events to the log of the process. This is the only place that words them. */
export function logEvents(events: EngineEvents, log: Logger): void {
  events.on('job.submitted', (e) => log.debug('job submitted', e));
  events.on('job.retried', (e) => log.info('job retried', e));
  events.on('job.changed', (e) => log.info('job changed', e));
  events.on('enqueue.skipped', (e) => log.debug('Redis does not accept entries; they are added again later', e));
  events.on('attempt.started', (e) => log.debug('attempt started', e));
  events.on('attempt.finished', (e) =>
    e.outcome === 'done' ? log.debug('attempt done', e) : log.info(`attempt finished: ${e.outcome}`, e),
  );
  events.on('attempt.fenced', (e) => log.warn('attempt not recorded: another attempt owns the job', e));
  events.on('attempt.reduced', (e) =>
    log.error('attempt recorded without its result and last log lines: Postgres rejected them', e),
  );
  events.on('handler.threw', (e) => log.error('the handler threw an error', e));
  events.on('handler.unresponsive', (e) => log.warn('the handler ignores its abort signal', e));
  events.on('job.canceled', (e) => log.info('job canceled', e));
  events.on('job.failed', (e) => {
    if (e.errorCode === 'no_handler') log.warn('job failed: no worker has a handler for its type', e);
  });
  for (const end of ['attempt.finished', 'job.failed'] as const) {
    events.on(end, (e: { errorCode: string | null }) => {
      if (e.errorCode === 'worker_lost') log.error('job failed: it crashed every worker that ran it', e);
    });
  }
  events.on('jobs.taken-over', (e) => log.warn('took over jobs of dead workers', e));
  events.on('jobs.re-enqueued', (e) => log.warn('enqueued pending jobs again that were missing in Redis', e));
  events.on('runs.failed', (e) => log.info('failed canceled jobs of orphaned runs', e));
  events.on('runs.released', (e) => log.info('released unknown runs', e));
  events.on('time.planned', (e) => log.debug(`planned time ${e.outcome}`, e));
  events.on('times.missed', (e) => log.info('planned times were missed and make no job of their own', e));
  events.on('jobs.expired', (e) => log.debug('deleted expired jobs', e));
  events.on('lease.lost', (e) => log.error('lease lost: aborting running jobs and registering again', e));
  events.on('database.lost', (e) => log.error('Postgres does not answer: pausing the consumers', e));
  events.on('database.back', () => log.info('Postgres answers again: resuming the consumers'));
  events.on(
    'queue.error',
    oncePerSecond((e) => log.warn('Redis connection failed', e)),
  );
  events.on(
    'step.failed',
    oncePerSecond((e) => log.warn('a step failed and will be tried again', e)),
  );
}

/** Limits the log to one line per second, because an outage repeats the same event many times a second. */
function oncePerSecond<T>(log: (event: T) => void): (event: T) => void {
  let quietUntil = 0;
  return (event) => {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + 1_000;
    log(event);
  };
}
