import { assertNever, type JobKey } from '@jobline/contracts';
import { runAs } from '@jobline/db';
import type { Claim, PendingStage } from '@jobline/db/job-transitions';
import { activate, activeSpan, elapsedMs, errorCodeOf, failSpan, SpanKind, startSpan } from '@jobline/runtime';
import type { Window } from '../fairness/window.js';
import type { Delivered } from '../queue/consumer.js';
import type { DeliveredEntry, TicketData } from '../queue/entry.js';
import type { AttemptIds, EngineEvents } from '../reporting/events.js';
import type { Lease } from '../start/lease.js';
import type { Redeliver } from './absent-handler.js';
import type { RetryPolicy } from './backoff.js';
import type { Claims } from './claim.js';
import type { ClaimWaiting } from './claim-waiting.js';
import { decideOutcome, type HandlerResult, type Outcome } from './outcome.js';
import type { Records } from './record.js';
import { type HandlerCalls, isRefused } from './run-handler.js';
import type { Attempt, Runs } from './runs.js';

/** What a run uses: claim → start → perform → decide → record → report. */
export interface RunDeps {
  claims: Claims;
  claimWaiting: ClaimWaiting;
  lease: Lease;
  redeliver: Redeliver;
  runs: Runs;
  handlerCalls: HandlerCalls;
  retries: { policyOf(type: string): RetryPolicy; window: Window };
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
      return { kind: 'running', ended: startRun(deps, answer.claim, entry.isLowPriority) };
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

/** Claims and starts the next waiting jobs of tickets. Returns when each job no longer uses its slot. Rejects if Postgres fails. */
export async function runWaiting(
  deps: RunDeps,
  tickets: readonly TicketData[],
  { queue, isLowPriority }: { queue: string; isLowPriority: boolean },
): Promise<readonly (readonly Promise<void>[])[]> {
  const claims = await deps.claimWaiting(queue, tickets);
  return claims.map((own) => own.map((claim) => startRun(deps, claim, isLowPriority)));
}

/** Starts the attempt of a claimed job, in a span of its own. Resolves when another job can use the slot, and never rejects. */
function startRun(deps: RunDeps, claim: Claim, isLowPriority = false): Promise<void> {
  const attempt = deps.runs.open(claim, isLowPriority);
  const span = attemptSpan(claim);
  return activate(
    span,
    () => new Promise((freeSlot) => void runAttempt(deps, attempt, freeSlot).then(() => span.end())),
  );
}

/**
 * Runs the handler, then decides, records and reports the outcome. Calls `freeSlot` when the handler has returned, and the outcome
 * is being recorded. Never rejects: an attempt that could not be recorded is found by the comparison with Postgres, which releases
 * its job.
 */
async function runAttempt(deps: RunDeps, attempt: Attempt, freeSlot: () => void): Promise<void> {
  const { handlerCalls, retries, records, runs, events } = deps;
  const { claim } = attempt;
  let unresponsive: Promise<void> | null = null;
  let release = (): void => undefined;
  try {
    events.emit('attempt.started', idsOf(attempt));
    const startedAt = performance.now();
    const execution = await runAs(claim.orgId, () => handlerCalls.call(attempt));
    const durationMs = elapsedMs(startedAt);
    attempt.hasReturned = true;
    unresponsive = execution.unresponsive;
    if (isRefused(execution.result) && (await records.refuse(attempt))) {
      events.emit('attempt.finished', { ...idsOf(attempt), outcome: 'released', errorCode: null, durationMs });
    } else {
      const { outcome, stage } = decide(retries, claim, execution.result, durationMs);
      // Too many records at the same time would use too much memory.
      release = await records.reserve(attempt, outcome);
      if (!unresponsive) freeSlot();
      report(events, attempt, await records.record(attempt, outcome, stage, durationMs), durationMs);
      if (unresponsive) events.emit('handler.unresponsive', idsOf(attempt));
    }
  } catch (error) {
    events.emit('step.failed', { step: 'run', error });
  } finally {
    release();
    runs.close(attempt);
  }
  // A handler that ignores its signal uses its slot until it returns.
  await unresponsive;
  deps.onEnd(claim);
  freeSlot();
}

/**
 * Decides the outcome, and where a retry waits: BullMQ delays near ones as long as it does not hold too many; the others
 * wait in Postgres.
 */
function decide(
  { policyOf, window }: RunDeps['retries'],
  { type, retries, maxRetries, startedAt, expiresAt, wasHeld, queue, orgId }: Claim,
  result: HandlerResult,
  durationMs: number,
): { outcome: Outcome; stage: PendingStage } {
  // The start is by the database's clock.
  const isExpired = expiresAt !== null && startedAt.getTime() + durationMs >= expiresAt.getTime();
  const outcome = decideOutcome(result, { retries, maxRetries, isExpired }, policyOf(type), Math.random());
  if (outcome.kind !== 'retry' && outcome.kind !== 'postponed') return { outcome, stage: 'enqueued' };
  const isNear = !wasHeld && outcome.delayMs <= MAX_REDIS_DELAY_MS;
  return { outcome, stage: isNear && window.reserveDelayed(queue, orgId) ? 'enqueued' : 'scheduled' };
}

/** `recorded` is null if another attempt owns the job. */
function report(events: EngineEvents, attempt: Attempt, recorded: Outcome | null, durationMs: number): void {
  const ids = idsOf(attempt);
  if (recorded) {
    const errorCode = recorded.kind === 'retry' || recorded.kind === 'failed' ? recorded.error.code : null;
    events.emit('attempt.finished', { ...ids, outcome: recorded.kind, errorCode, durationMs });
    if ('error' in recorded && recorded.error.stack !== undefined)
      events.emit('handler.threw', { ...ids, jobId: attempt.claim.id, error: recorded.error });
  } else events.emit('attempt.fenced', ids);
}

function idsOf({ claim: { key, orgId, type, attempt } }: Attempt): AttemptIds {
  return { key, orgId, type, attempt };
}

/** The span of an attempt, under the span that submitted its job. */
function attemptSpan({ key, orgId, type, queue, attempt, traceparent }: Claim): ReturnType<typeof startSpan> {
  const attributes = {
    'jobline.job_key': key,
    'jobline.org_id': orgId,
    'jobline.type': type,
    'jobline.queue': queue,
    'jobline.attempt': attempt,
  };
  return startSpan(`attempt ${type}`, { kind: SpanKind.CONSUMER, parent: traceparent, attributes });
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
