import { assertNever, type JobKey } from '@jobline/contracts';
import { type Claim, failUnhandled, moveToQueue, type PendingStage, renewEnqueued } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import { claimJob } from './claim.js';
import type { RunDeps } from './deps.js';
import type { AttemptIds } from './events.js';
import { noHandler } from './job-log.js';
import { inAttemptSpan } from './metrics/attempt-spans.js';
import { decideOutcome, type Outcome } from './outcome.js';
import type { QueueAction } from './queue/consumer.js';
import { recordOutcome } from './record.js';
import { executeHandler } from './run-handler.js';
import { decideAbsent } from './worker/absent-handler.js';
import type { Attempt } from './worker/runs.js';

const DEAD_WORKER_DELAY_MS = 100;
const CRASH_LIMIT_DELAY_MS = 250;
/** Maximum time for which BullMQ delays a retry. Longer waits are kept in Postgres. */
const MAX_REDIS_DELAY_MS = 600_000;

/**
 * Takes one delivery of a job from its claim to the recorded outcome, and returns what to do with the queue entry.
 * Safe to call twice for one job: only one caller gets the claim. Rejects only if the claim could not be sent to
 * Postgres.
 */
export async function runJob(deps: RunDeps, key: JobKey): Promise<QueueAction> {
  const answer = await claimJob(deps, key);
  switch (answer.kind) {
    case 'claimed':
      return runClaimed(deps, answer.claim);
    case 'gone':
      return { kind: 'ack' };
    case 'early':
      return { kind: 'delay', delayMs: answer.delayMs };
    case 'crash-limit':
      return { kind: 'delay', delayMs: CRASH_LIMIT_DELAY_MS * (0.5 + Math.random()) };
    case 'unhandled':
      if (answer.reach === null) return awaitHandler(deps, key, answer);
      if (answer.reach === answer.queue) return { kind: 'delay', delayMs: deps.redeliveryDelayMs(key) };
      return reroute(deps, key, answer.reach);
    case 'worker-dead':
      deps.lease.lose(answer.workerId);
      await deps.lease.beat();
      return { kind: 'delay', delayMs: DEAD_WORKER_DELAY_MS };
    default:
      return assertNever(answer);
  }
}

async function runClaimed(deps: RunDeps, claim: Claim): Promise<QueueAction> {
  const attempt = deps.runs.open(claim);
  try {
    return await inAttemptSpan(claim, () => runAttempt(deps, attempt));
  } finally {
    deps.crashIsolation.release(claim);
  }
}

async function runAttempt(deps: RunDeps, attempt: Attempt): Promise<QueueAction> {
  const { key, orgId, type, attempt: number } = attempt.claim;
  const ids = { key, orgId, type, attempt: number };
  const { recorded, stage, durationMs, unresponsive } = await executeAndRecord(deps, attempt, ids);
  if (recorded) {
    const outcome = recorded.kind;
    deps.events.emit('attempt.finished', { ...ids, outcome, errorCode: errorCode(recorded), durationMs });
  } else deps.events.emit('attempt.fenced', ids);
  const action: QueueAction = recorded ? toQueueAction(recorded, stage) : { kind: 'ack' };
  return unresponsive ? awaitUnresponsive(deps, attempt, unresponsive, action) : action;
}

interface RecordedRun {
  /** Null if another attempt owns the job. */
  recorded: Outcome | null;
  stage: PendingStage;
  durationMs: number;
  unresponsive: Promise<void> | null;
}

/**
 * Runs the handler and records its outcome. The attempt is closed in every case: one that could not be recorded is
 * found by the comparison with Postgres, which releases its job.
 */
async function executeAndRecord(deps: RunDeps, attempt: Attempt, ids: AttemptIds): Promise<RecordedRun> {
  try {
    const { retries, maxRetries } = attempt.claim;
    deps.events.emit('attempt.started', ids);
    const startedAt = performance.now();
    const { result, unresponsive } = await executeHandler(deps, attempt);
    const durationMs = elapsedMs(startedAt);
    const outcome = decideOutcome(result, { retries, maxRetries }, deps.retry, Math.random());
    const stage = stageFor(deps, attempt, outcome);
    const recorded = await recordOutcome(deps, attempt, outcome, stage, durationMs);
    return { recorded, stage, durationMs, unresponsive };
  } finally {
    deps.runs.close(attempt);
  }
}

/**
 * The handler ignores its signal, so its slot and its queue entry stay in use until it returns. A job that will be
 * retried does not wait for that but gets a new entry.
 */
async function awaitUnresponsive(
  deps: RunDeps,
  attempt: Attempt,
  unresponsive: Promise<void>,
  action: QueueAction,
): Promise<QueueAction> {
  const { key, orgId, type, attempt: number, queue, seq } = attempt.claim;
  deps.events.emit('handler.unresponsive', { key, orgId, type, attempt: number });
  let remaining = action;
  if (action.kind === 'retry') {
    try {
      const renewed = await renewEnqueued(deps.db, [{ key, queue, seq }]);
      await deps.enqueue(renewed.map((entry) => ({ ...entry, delayMs: action.delayMs })));
      remaining = { kind: 'ack' };
    } catch (error) {
      deps.events.emit('step.failed', { step: 'enqueue retry', error });
    }
  }
  await unresponsive;
  return remaining;
}

/** Moves a job whose type was unknown when it was submitted, and for whose type no worker consumes this queue. */
async function reroute(deps: RunDeps, key: JobKey, queue: string): Promise<QueueAction> {
  const moved = await moveToQueue(deps.db, key, queue);
  await deps.enqueue(moved.map((entry) => ({ ...entry, delayMs: 0 })));
  return { kind: 'ack' };
}

/** Handles a type without a live worker: its workers may come back soon. */
async function awaitHandler(
  deps: RunDeps,
  key: JobKey,
  { type, unseenMs }: { type: string; unseenMs: number | null },
): Promise<QueueAction> {
  const delayMs = decideAbsent(unseenMs, deps.noHandlerAfterMs, Math.random());
  return delayMs === null ? failWithoutHandler(deps, key, type) : { kind: 'delay', delayMs };
}

/** Fails a job whose type no worker handles. */
async function failWithoutHandler(deps: RunDeps, key: JobKey, type: string): Promise<QueueAction> {
  const failed = await failUnhandled(deps.db, [{ key, message: noHandler(type) }]);
  for (const { orgId } of failed) deps.events.emit('job.ended', { key, orgId, type, errorCode: 'no_handler' });
  return { kind: 'fail' };
}

/**
 * Chooses where a retry waits: BullMQ delays near ones as long as it does not hold too many; the others wait in
 * Postgres.
 */
function stageFor(deps: RunDeps, attempt: Attempt, outcome: Outcome): PendingStage {
  if (outcome.kind !== 'retry' && outcome.kind !== 'postponed') return 'enqueued';
  return outcome.delayMs <= MAX_REDIS_DELAY_MS && deps.window.reserveDelayed(attempt.claim.queue, attempt.claim.orgId)
    ? 'enqueued'
    : 'scheduled';
}

function toQueueAction(outcome: Outcome, stage: PendingStage): QueueAction {
  switch (outcome.kind) {
    case 'done':
    case 'released':
      return { kind: 'ack' };
    case 'failed':
      return { kind: 'fail' };
    case 'retry':
      return stage === 'enqueued' ? { kind: 'retry', delayMs: outcome.delayMs } : { kind: 'ack' };
    case 'postponed':
      return stage === 'enqueued' ? { kind: 'delay', delayMs: outcome.delayMs } : { kind: 'ack' };
    default:
      return assertNever(outcome);
  }
}

function errorCode(outcome: Outcome): string | null {
  return outcome.kind === 'retry' || outcome.kind === 'failed' ? outcome.error.code : null;
}
