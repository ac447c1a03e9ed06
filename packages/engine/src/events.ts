import { EventEmitter } from 'node:events';
import type { JobErrorCode, JobKey, OrgId } from '@jobline/contracts';
import type { Logger } from '@jobline/runtime';
import type { Outcome } from './outcome.js';

/** Which attempt of which job an event is about. */
export interface AttemptIds {
  key: JobKey;
  orgId: OrgId;
  type: string;
  attempt: number;
}

/** Everything that the engine announces. Identifiers only: no payloads, results or messages of tenants. */
export interface EngineEventMap {
  'job.submitted': [{ key: JobKey; orgId: OrgId; type: string }];
  /** A failed job is to run again. */
  'job.retried': [{ key: JobKey; orgId: OrgId; type: string }];
  /** A statement of the hot path went out for so many jobs. */
  'batch.sent': [{ step: 'submit' | 'claim' | 'record'; size: number }];
  /** Waiting jobs that were added to their queue. */
  'jobs.dispatched': [{ queue: string; count: number }];
  /** Redis did not take the entries; reconcile will see to them. */
  'enqueue.skipped': [{ count: number }];
  'attempt.started': [AttemptIds];
  'attempt.finished': [AttemptIds & { outcome: Outcome['kind']; errorCode: string | null; durationMs: number }];
  /** A successor has the job, so the attempt's end was not written. */
  'attempt.fenced': [AttemptIds];
  /** Postgres refused what the handler gave: the attempt's status is on record, its result and last log lines are not. */
  'attempt.reduced': [AttemptIds & { error: unknown }];
  /** A handler ignored its signal; its outcome is on record, its slot is taken until it returns. */
  'handler.unresponsive': [AttemptIds];
  /** Somebody asked to cancel the job; if it was running, its run is told. */
  'job.canceled': [{ key: JobKey; orgId: OrgId; isRunning: boolean }];
  /** A job ended, with this error, otherwise than by an attempt's end. */
  'job.ended': [{ key: JobKey; orgId: OrgId; type: string; errorCode: JobErrorCode }];
  /** Lines that change no status. */
  'lines.written': [{ orgIds: ReadonlySet<OrgId> }];
  /** Jobs taken over from dead workers. */
  'jobs.taken-over': [{ count: number }];
  /** Pending jobs that Redis had lost. */
  'jobs.re-enqueued': [{ count: number }];
  /** Runs of canceled jobs that nobody had in hand any more. */
  'runs.ended': [{ count: number; reason: string }];
  /** Runs that Postgres believed this worker had, and it had not. */
  'runs.released': [{ count: number; reason: string }];
  /** Finished jobs deleted, because they were older than jobs are kept. */
  'jobs.expired': [{ count: number }];
  /** The worker missed its lease: its runs are aborted and it registers anew. */
  'lease.lost': [{ workerId: string }];
  /** Postgres does not answer: the consumers pause. */
  'database.lost': [{ error: unknown }];
  'database.back': [Record<string, never>];
  'queue.error': [{ queue: string; error: unknown }];
  /** Something that is tried again failed. */
  'step.failed': [{ step: string; error: unknown }];
}

export type EngineEvents = EventEmitter<EngineEventMap>;

export function createEvents(): EngineEvents {
  return new EventEmitter<EngineEventMap>();
}

/** The one place where the journey is put into words for the process's own log. */
export function logEvents(events: EngineEvents, log: Logger): void {
  events.on('job.submitted', (e) => log.debug('job submitted', e));
  events.on('job.retried', (e) => log.info('job sent to run again', e));
  events.on('enqueue.skipped', (e) => log.debug('queue not reachable, left to reconcile', e));
  events.on('attempt.started', (e) => log.debug('attempt started', e));
  events.on('attempt.finished', (e) =>
    e.outcome === 'done' ? log.debug('attempt done', e) : log.info(`attempt ended: ${e.outcome}`, e),
  );
  events.on('attempt.fenced', (e) => log.warn('attempt not recorded: a successor has the job', e));
  events.on('attempt.reduced', (e) =>
    log.error('attempt is recorded without its result and last log lines: Postgres refused them', e),
  );
  events.on('handler.unresponsive', (e) => log.warn('the handler ignores its signal', e));
  events.on('job.canceled', (e) => log.info('job canceled', e));
  events.on('job.ended', (e) => {
    if (e.errorCode === 'no_handler') log.warn('no handler for the type', e);
  });
  for (const end of ['attempt.finished', 'job.ended'] as const) {
    events.on(end, (e: { errorCode: string | null }) => {
      if (e.errorCode === 'worker_lost') log.error('a job has ended all that ran it', e);
    });
  }
  events.on('jobs.taken-over', (e) => log.warn('jobs taken over from dead workers', e));
  events.on('jobs.re-enqueued', (e) => log.warn('pending jobs were missing in Redis and are enqueued again', e));
  events.on('runs.ended', (e) => log.info('runs of canceled jobs ended', e));
  events.on('runs.released', (e) => log.info('runs handed back', e));
  events.on('jobs.expired', (e) => log.debug('expired jobs deleted', e));
  events.on('lease.lost', (e) => log.error('lease missed: runs aborted, registering anew', e));
  events.on('database.lost', (e) => log.error('Postgres does not answer: consumers pause', e));
  events.on('database.back', () => log.info('Postgres answers again: consumers resume'));
  events.on(
    'queue.error',
    onceASecond((e) => log.warn('Redis connection', e)),
  );
  events.on(
    'step.failed',
    onceASecond((e) => log.warn('a step failed and will be tried again', e)),
  );
}

/** Outages repeat themselves many times a second; one line of them is enough. */
function onceASecond<T>(tell: (event: T) => void): (event: T) => void {
  let quietUntil = 0;
  return (event) => {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + 1_000;
    tell(event);
  };
}
