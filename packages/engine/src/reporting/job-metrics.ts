import type { Metrics } from '@jobline/runtime';
import type { EngineEvents } from './events.js';

/** The label of unknown types: callers can submit any type, and each label value is a permanent time series. */
const OTHER = 'other';
/** From one millisecond to the usual maximum time of handlers. */
const ATTEMPT_BUCKETS_S = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const BATCH_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500];
/** A planned job should be stored within two seconds; a missed one may be days late. */
const LATENESS_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 3_600];
const TIME_OUTCOMES = ['made', 'taken', 'skipped', 'missed'] as const;

/**
 * Records the events of the engine as metrics. This is the only place that counts them; it costs a few additions per
 * job. Types for which `isKnown` returns false are counted as `other`.
 */
export function recordMetrics(events: EngineEvents, metrics: Metrics, isKnown: (type: string) => boolean): void {
  const nameOf = (type: string) => (isKnown(type) ? type : OTHER);

  const submitted = metrics.counter('jobs_submitted_total', 'Jobs stored, by type.', ['type']);
  events.on('job.submitted', ({ type }) => submitted.inc({ type: nameOf(type) }));

  const started = metrics.counter('attempts_started_total', 'Attempts started, by type.', ['type']);
  events.on('attempt.started', ({ type }) => started.inc({ type: nameOf(type) }));

  const finished = metrics.counter(
    'jobs_finished_total',
    'Finished jobs, by type, status and error code (empty if there is none).',
    ['type', 'status', 'code'],
  );
  const retries = metrics.counter('retries_total', 'Failed attempts that are retried, by type and error code.', [
    'type',
    'code',
  ]);
  const released = metrics.counter(
    'attempts_handed_back_total',
    'Attempts that were interrupted and released to another worker, by type.',
    ['type'],
  );
  const postponed = metrics.counter(
    'attempts_postponed_total',
    'Attempts postponed before they began their work, by type.',
    ['type'],
  );
  const duration = metrics.histogram('attempt_duration_seconds', 'Duration of attempts, by type.', {
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
  events.on('job.failed', ({ type, errorCode }) =>
    finished.inc({ type: nameOf(type), status: 'failed', code: errorCode }),
  );

  const retried = metrics.counter('jobs_retried_total', 'Failed jobs that were retried manually, by type.', ['type']);
  events.on('job.retried', ({ type }) => retried.inc({ type: nameOf(type) }));
  const canceled = metrics.counter('jobs_canceled_total', 'Canceled jobs, by whether they were running.', ['running']);
  events.on('job.canceled', ({ isRunning }) => canceled.inc({ running: String(isRunning) }));

  const batches = metrics.histogram('batch_size', 'Number of jobs per statement of the hot path, by step.', {
    labels: ['step'],
    buckets: BATCH_BUCKETS,
  });
  events.on('batch.sent', ({ step, size }) => batches.observe({ step }, size));
  const dispatched = metrics.counter(
    'jobs_fed_total',
    'Waiting jobs that workers claimed, and held jobs that the dispatcher added to Redis, by queue.',
    ['queue'],
  );
  events.on('jobs.dispatched', ({ queue, count }) => dispatched.inc({ queue }, count));

  recordSchedules(events, metrics);
  recordProblems(events, metrics);
}

function recordSchedules(events: EngineEvents, metrics: Metrics): void {
  const lateness = metrics.histogram(
    'schedule_lateness_seconds',
    'Time from the planned time of a schedule to the commit of its job.',
    { buckets: LATENESS_BUCKETS_S },
  );
  const times = metrics.counter(
    'schedule_times_total',
    'Planned times by outcome: made, taken (a job had the id), skipped (an earlier job had not finished), or missed (counted once for all that one start leaves out).',
    ['outcome'],
  );
  for (const outcome of TIME_OUTCOMES) times.inc({ outcome }, 0);
  events.on('time.planned', ({ outcome, lateMs }) => {
    times.inc({ outcome });
    if (outcome === 'made') lateness.observe(lateMs / 1_000);
  });
  events.on('times.missed', () => times.inc({ outcome: 'missed' }));
}

/** Records events that should be rare. */
function recordProblems(events: EngineEvents, metrics: Metrics): void {
  const fenced = metrics.counter(
    'attempts_fenced_total',
    'Attempts whose outcome was not written because another attempt owned the job.',
  );
  events.on('attempt.fenced', () => fenced.inc());
  const unresponsive = metrics.counter('attempts_overstayed_total', 'Attempts whose handler ignored its abort signal.');
  events.on('handler.unresponsive', () => unresponsive.inc());

  const repairs = metrics.counter('reconcile_repairs_total', 'Jobs repaired after a crash or an outage, by problem.', [
    'repair',
  ]);
  const countOf = (repair: string) => {
    // Start at 0: monitoring does not see the first increase of a series that begins with 1.
    repairs.inc({ repair }, 0);
    return ({ count }: { count: number }) => repairs.inc({ repair }, count);
  };
  events.on('jobs.taken-over', countOf('worker_lost'));
  events.on('jobs.re-enqueued', countOf('missing_in_redis'));
  events.on('runs.released', countOf('claim_lost'));
  events.on('runs.failed', countOf('canceled_run_lost'));

  const leases = metrics.counter('leases_lost_total', 'How often this worker was declared dead although it was alive.');
  events.on('lease.lost', () => leases.inc());
  const skipped = metrics.counter(
    'enqueues_skipped_total',
    'Jobs that Redis did not accept at once. They are enqueued later.',
  );
  events.on('enqueue.skipped', ({ count }) => skipped.inc(count));
  const postgres = metrics.counter(
    'postgres_outages_total',
    'How often the consumers were paused because Postgres did not answer.',
  );
  events.on('database.lost', () => postgres.inc());
  const redis = metrics.counter('redis_errors_total', 'Errors of Redis connections, by connection.', ['connection']);
  events.on('queue.error', ({ queue }) => redis.inc({ connection: queue }));
  const steps = metrics.counter('step_failures_total', 'Failures of steps that are repeated automatically, by step.', [
    'step',
  ]);
  events.on('step.failed', ({ step }) => steps.inc({ step }));
  const expired = metrics.counter('jobs_expired_total', 'Finished jobs that were deleted because of their age.');
  events.on('jobs.expired', ({ count }) => expired.inc(count));
}
