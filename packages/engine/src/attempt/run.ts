import { assertNever, type JobKey } from '@jobline/contracts';
import { runAs } from '@jobline/db';
import type { Claim, PendingStage } from '@jobline/db/job-transitions';
import { activate, activeSpan, elapsedMs, errorCodeOf, failSpan, SpanKind, startSpan } from '@jobline/runtime';
import type { Window } from '../fairness/window.js';
import type { Delivered } from '../queue/consumer.js';
import type { DeliveredEntry } from '../queue/entry.js';
import type { AttemptIds, EngineEvents } from '../reporting/events.js';
import type { Lease } from '../start/lease.js';
import type { Redeliver } from './absent-handler.js';
import type { RetryPolicy } from './backoff.js';
import type { Claims } from './claim.js';
import { decideOutcome, type HandlerResult, type Outcome } from './outcome.js';
import type { Records } from './record.js';
import type { HandlerCalls } from './run-handler.js';
import type { Attempt, Runs } from './runs.js';

/** What a run uses: claim → start → perform → decide → record → report. */
export interface RunDeps {
  claims: Claims;
  lease: Lease;
  redeliver: Redeliver;
  runs: Runs;
  handlerCalls: HandlerCalls;
  retries: { policy: RetryPolicy; window: Window };
  records: Records;
  events: EngineEvents;
  /** Called when a claimed job no longer runs here. */
  onEnd(claim: Claim): void;
}

const DEAD_WORKER_DELAY_MS = 100;
const CRASH_LIMIT_DELAY_MS = 250;
const LOCKED_DELAY_MS = 250;
/** Maximum time for which BullMQ delays a retry. Longer waits are kept in Postgres. */
const MAX_REDIS_DELAY_MS = 600_000;

/**
 * Takes one delivery of a job to its claim, and starts the attempt. Safe to call twice for one job: only one caller gets
 * the claim. Rejects only if the claim could not be sent to Postgres. `entry`: what was delivered.
 */
export async function runJob(deps: RunDeps, key: JobKey, entry: DeliveredEntry): Promise<Delivered> {
  const answer = await deps.claims.claim(key, entry);
  switch (answer.kind) {
    case 'claimed':
      return { kind: 'running', ended: startRun(deps, answer.claim, entry.isLowPriority).handled };
    case 'gone':
    // Its limits do not allow it to start now. The dispatcher adds another entry when they do.
    case 'held':
      return { kind: 'gone' };
    case 'early':
      return { kind: 'delay', delayMs: answer.delayMs };
    case 'locked':
      return { kind: 'delay', delayMs: LOCKED_DELAY_MS * (0.5 + Math.random()) };
    case 'crash-limit':
      return { kind: 'delay', delayMs: CRASH_LIMIT_DELAY_MS * (0.5 + Math.random()) };
    case 'unhandled':
      return deps.redeliver(key, answer);
    case 'worker-dead':
      deps.lease.lose(answer.workerId);
      await deps.lease.beat();
      return { kind: 'delay', delayMs: DEAD_WORKER_DELAY_MS };
    default:
      return assertNever(answer);
  }
}

/** An attempt that runs. Neither promise rejects. */
interface Run {
  /** Resolves when another job can use the slot: the handler has returned, and its outcome is being recorded. */
  handled: Promise<void>;
  /** Resolves when the outcome is recorded and the handler has returned. */
  recorded: Promise<void>;
}

function startRun(deps: RunDeps, claim: Claim, isLowPriority = false): Run {
  const attempt = deps.runs.open(claim, isLowPriority);
  return inAttemptSpan(claim, () => {
    const performing = perform(deps, attempt);
    const recorded = finish(deps, attempt, performing);
    // A handler that ignores its signal uses its slot until it returns.
    const handled = performing.then(
      ({ unresponsive }) => (unresponsive ? recorded : undefined),
      () => recorded,
    );
    return { handled, recorded };
  });
}

interface Performed {
  outcome: Outcome;
  /** Where a retry waits. */
  stage: PendingStage;
  durationMs: number;
  /** Resolves when the handler has returned. Null if it has returned already. */
  unresponsive: Promise<void> | null;
  release(): void;
}

/**
 * Runs the handler and decides the outcome. Resolves when the outcome may be recorded: too many at the same time would use too
 * much memory.
 */
async function perform(deps: RunDeps, attempt: Attempt): Promise<Performed> {
  deps.events.emit('attempt.started', idsOf(attempt));
  const startedAt = performance.now();
  const { result, unresponsive } = await runAs(attempt.claim.orgId, () => deps.handlerCalls.call(attempt));
  const durationMs = elapsedMs(startedAt);
  attempt.hasReturned = true;
  const decided = decide(deps.retries, attempt.claim, result, durationMs);
  return { ...decided, durationMs, unresponsive, release: await deps.records.reserve(attempt.claim.orgId) };
}

/**
 * Decides the outcome, and where a retry waits: BullMQ delays near ones as long as it does not hold too many; the others
 * wait in Postgres.
 */
function decide(
  { policy, window }: RunDeps['retries'],
  { retries, maxRetries, startedAt, expiresAt, wasHeld, queue, orgId }: Claim,
  result: HandlerResult,
  durationMs: number,
): Pick<Performed, 'outcome' | 'stage'> {
  // The start is by the database's clock.
  const isExpired = expiresAt !== null && startedAt.getTime() + durationMs >= expiresAt.getTime();
  const outcome = decideOutcome(result, { retries, maxRetries, isExpired }, policy, Math.random());
  if (outcome.kind !== 'retry' && outcome.kind !== 'postponed') return { outcome, stage: 'enqueued' };
  const isNear = !wasHeld && outcome.delayMs <= MAX_REDIS_DELAY_MS;
  return { outcome, stage: isNear && window.reserveDelayed(queue, orgId) ? 'enqueued' : 'scheduled' };
}

/**
 * Never rejects: an attempt that could not be recorded is found by the comparison with Postgres, which releases its job.
 */
async function finish(deps: RunDeps, attempt: Attempt, performing: Promise<Performed>): Promise<void> {
  try {
    const { unresponsive } = await record(deps, attempt, performing);
    await unresponsive;
  } catch (error) {
    deps.events.emit('step.failed', { step: 'run', error });
  } finally {
    deps.onEnd(attempt.claim);
  }
}

/** Records and reports the outcome. The attempt is closed in every case. */
async function record(
  { runs, records, events }: RunDeps,
  attempt: Attempt,
  performing: Promise<Performed>,
): Promise<Performed> {
  try {
    const performed = await performing;
    const { outcome, stage, durationMs, release } = performed;
    const recorded = await records.record(attempt, outcome, stage, durationMs).finally(release);
    report(events, attempt, performed, recorded);
    return performed;
  } finally {
    runs.close(attempt);
  }
}

/** `recorded` is null if another attempt owns the job. */
function report(
  events: EngineEvents,
  attempt: Attempt,
  { durationMs, unresponsive }: Performed,
  recorded: Outcome | null,
): void {
  const ids = idsOf(attempt);
  if (recorded) {
    const errorCode = recorded.kind === 'retry' || recorded.kind === 'failed' ? recorded.error.code : null;
    events.emit('attempt.finished', { ...ids, outcome: recorded.kind, errorCode, durationMs });
  } else events.emit('attempt.fenced', ids);
  if (unresponsive) events.emit('handler.unresponsive', ids);
}

function idsOf({ claim: { key, orgId, type, attempt } }: Attempt): AttemptIds {
  return { key, orgId, type, attempt };
}

/** Starts an attempt in a span of its own, under the span that submitted its job. The span ends when the attempt is recorded. */
export function inAttemptSpan<Run extends { recorded: Promise<void> }>(claim: Claim, start: () => Run): Run {
  const attributes = {
    'jobline.job_key': claim.key,
    'jobline.org_id': claim.orgId,
    'jobline.type': claim.type,
    'jobline.queue': claim.queue,
    'jobline.attempt': claim.attempt,
  };
  const span = startSpan(`attempt ${claim.type}`, { kind: SpanKind.CONSUMER, parent: claim.traceparent, attributes });
  const run = activate(span, start);
  void run.recorded.then(() => span.end());
  return run;
}

/** Adds its outcome to the span of each attempt. */
export function traceOutcomes(events: EngineEvents): void {
  events.on('attempt.finished', ({ outcome, errorCode }) => {
    const span = activeSpan()?.setAttribute('jobline.outcome', outcome);
    if (span && errorCode) failSpan(span, errorCode);
  });
  events.on('attempt.fenced', () => activeSpan()?.setAttribute('jobline.outcome', 'fenced'));
  events.on('step.failed', ({ step, error }) => {
    const span = step === 'run' ? activeSpan() : undefined;
    if (span) failSpan(span, errorCodeOf(error));
  });
}
