import type { Metrics } from '@jobline/runtime';
import type { EngineEvents } from '../events.js';

/** What a type is called where it is not known: whoever submits jobs makes up types, and every name is a series for ever. */
const OTHER = 'other';
/** From a millisecond to the longest that handlers usually may take. */
const ATTEMPT_BUCKETS_S = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const BATCH_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/**
 * The one place where the journey is put into figures, as `logEvents` puts it into words: a few additions per job. Types
 * that `isKnown` does not know are `other`.
 */
export function recordMetrics(events: EngineEvents, metrics: Metrics, isKnown: (type: string) => boolean): void {
  const nameOf = (type: string) => (isKnown(type) ? type : OTHER);

  const submitted = metrics.counter('jobs_submitted_total', 'Jobs stored, by type.', ['type']);
  events.on('job.submitted', ({ type }) => submitted.inc({ type: nameOf(type) }));

  const started = metrics.counter('attempts_started_total', 'Attempts begun, by type.', ['type']);
  events.on('attempt.started', ({ type }) => started.inc({ type: nameOf(type) }));

  const finished = metrics.counter(
    'jobs_finished_total',
    'Jobs that ended, by type, status and error code (empty: none).',
    ['type', 'status', 'code'],
  );
  const retries = metrics.counter(
    'retries_total',
    'Failed attempts after which the job runs again, by type and error code.',
    ['type', 'code'],
  );
  const released = metrics.counter(
    'attempts_handed_back_total',
    'Attempts interrupted and left to another worker, by type.',
    ['type'],
  );
  const postponed = metrics.counter(
    'attempts_postponed_total',
    'Attempts put off because their organization sends more than it may, by type.',
    ['type'],
  );
  const duration = metrics.histogram('attempt_duration_seconds', 'How long attempts took, by type.', {
    labels: ['type'],
    buckets: ATTEMPT_BUCKETS_S,
  });
  events.on('attempt.finished', ({ type: own, outcome, errorCode, durationMs }) => {
    const type = nameOf(own);
    duration.observe({ type }, durationMs / 1_000);
    if (outcome === 'retry') retries.inc({ type, code: errorCode ?? '' });
    else if (outcome === 'released') released.inc({ type });
    else if (outcome === 'postponed') postponed.inc({ type });
    else finished.inc({ type, status: outcome, code: errorCode ?? '' });
  });
  events.on('job.ended', ({ type, errorCode }) =>
    finished.inc({ type: nameOf(type), status: 'failed', code: errorCode }),
  );

  const retried = metrics.counter('jobs_retried_total', 'Failed jobs that somebody sent to run again, by type.', [
    'type',
  ]);
  events.on('job.retried', ({ type }) => retried.inc({ type: nameOf(type) }));
  const canceled = metrics.counter('jobs_canceled_total', 'Jobs that somebody canceled, by whether they ran.', [
    'running',
  ]);
  events.on('job.canceled', ({ isRunning }) => canceled.inc({ running: String(isRunning) }));

  const batches = metrics.histogram('batch_size', 'How many jobs share a statement of the hot path, by step.', {
    labels: ['step'],
    buckets: BATCH_BUCKETS,
  });
  events.on('batch.sent', ({ step, size }) => batches.observe({ step }, size));
  const dispatched = metrics.counter('jobs_fed_total', 'Waiting jobs moved from Postgres to Redis, by queue.', [
    'queue',
  ]);
  events.on('jobs.dispatched', ({ queue, count }) => dispatched.inc({ queue }, count));

  recordProblems(events, metrics);
}

/** What should hardly ever happen. */
function recordProblems(events: EngineEvents, metrics: Metrics): void {
  const fenced = metrics.counter(
    'attempts_fenced_total',
    'Attempts whose end was not written: a successor had the job.',
  );
  events.on('attempt.fenced', () => fenced.inc());
  const unresponsive = metrics.counter('attempts_overstayed_total', 'Attempts whose handler ignored its signal.');
  events.on('handler.unresponsive', () => unresponsive.inc());

  const repairs = metrics.counter(
    'reconcile_repairs_total',
    'Jobs put right after a crash or an outage, by what was wrong.',
    ['repair'],
  );
  const countOf = (repair: string) => {
    // From the start: of a series that begins with 1 nobody sees the first rise.
    repairs.inc({ repair }, 0);
    return ({ count }: { count: number }) => repairs.inc({ repair }, count);
  };
  events.on('jobs.taken-over', countOf('worker_lost'));
  events.on('jobs.re-enqueued', countOf('missing_in_redis'));
  events.on('runs.released', countOf('claim_lost'));
  events.on('runs.ended', countOf('canceled_run_lost'));

  const leases = metrics.counter('leases_lost_total', 'How often this worker was declared dead while it lived.');
  events.on('lease.lost', () => leases.inc());
  const skipped = metrics.counter(
    'enqueues_skipped_total',
    'Jobs that Redis did not take at once and reconcile enqueues.',
  );
  events.on('enqueue.skipped', ({ count }) => skipped.inc(count));
  const postgres = metrics.counter(
    'postgres_outages_total',
    'How often the consumers paused because Postgres did not answer.',
  );
  events.on('database.lost', () => postgres.inc());
  const redis = metrics.counter('redis_errors_total', 'Errors of connections to Redis, by what they are for.', [
    'connection',
  ]);
  events.on('queue.error', ({ queue }) => redis.inc({ connection: queue }));
  const steps = metrics.counter('step_failures_total', 'Failures of what is tried again by itself, by step.', ['step']);
  events.on('step.failed', ({ step }) => steps.inc({ step }));
  const expired = metrics.counter('jobs_expired_total', 'Finished jobs deleted because of their age.');
  events.on('jobs.expired', ({ count }) => expired.inc(count));
}
