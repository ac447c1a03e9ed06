import { assertNever, type JobKey } from '@jobline/contracts';
import { type Claim, failUnhandled, moveToQueue, type PendingStage } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import type { RunDeps } from '../deps.js';
import type { Delivered } from '../queue/consumer.js';
import { entryOf } from '../queue/entry.js';
import { inAttemptSpan } from '../reporting/attempt-spans.js';
import type { AttemptIds } from '../reporting/events.js';
import { noHandler } from '../reporting/job-log.js';
import { decideAbsent } from './absent-handler.js';
import { claimJob } from './claim.js';
import { decideOutcome, type Outcome } from './outcome.js';
import { recordOutcome } from './record.js';
import { executeHandler } from './run-handler.js';
import type { Attempt } from './runs.js';

const DEAD_WORKER_DELAY_MS = 100;
const CRASH_LIMIT_DELAY_MS = 250;
/** Maximum time for which BullMQ delays a retry. Longer waits are kept in Postgres. */
const MAX_REDIS_DELAY_MS = 600_000;

/**
 * Takes one delivery of a job to its claim, and starts the attempt. Safe to call twice for one job: only one caller gets
 * the claim. Rejects only if the claim could not be sent to Postgres. `isLowPriority`: whether the delivered entry has low
 * priority.
 */
export async function runJob(deps: RunDeps, key: JobKey, isLowPriority: boolean): Promise<Delivered> {
  const answer = await claimJob(deps, key);
  switch (answer.kind) {
    case 'claimed':
      return { kind: 'running', ended: startRun(deps, answer.claim, isLowPriority) };
    case 'gone':
    // Its limits do not allow it to start now. The dispatcher adds another entry when they do.
    case 'held':
      return { kind: 'gone' };
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

/** Starts an attempt. Resolves when its handler has returned, so that another job can use its slot. Never rejects. */
function startRun(deps: RunDeps, claim: Claim, isLowPriority: boolean): Promise<void> {
  return new Promise((freeSlot) => void runClaimed(deps, claim, isLowPriority, freeSlot));
}

/**
 * Runs an attempt to its recorded outcome, until its handler has returned. Never rejects: an attempt that could not be
 * recorded is found by the comparison with Postgres, which releases its job.
 */
async function runClaimed(deps: RunDeps, claim: Claim, isLowPriority: boolean, freeSlot: () => void): Promise<void> {
  const attempt = deps.runs.open(claim, isLowPriority);
  try {
    await inAttemptSpan(claim, () => runAttempt(deps, attempt, freeSlot));
  } catch (error) {
    deps.events.emit('step.failed', { step: 'run', error });
  } finally {
    deps.crashIsolation.release(claim);
    freeSlot();
    if (claim.wasHeld) void deps.wakeOthers(claim);
  }
}

async function runAttempt(deps: RunDeps, attempt: Attempt, freeSlot: () => void): Promise<void> {
  const { key, orgId, type, attempt: number } = attempt.claim;
  const ids = { key, orgId, type, attempt: number };
  const { recorded, durationMs, unresponsive } = await executeAndRecord(deps, attempt, ids, freeSlot);
  if (recorded) {
    const outcome = recorded.kind;
    deps.events.emit('attempt.finished', { ...ids, outcome, errorCode: errorCode(recorded), durationMs });
  } else deps.events.emit('attempt.fenced', ids);
  if (!unresponsive) return;
  // The handler ignores its signal, so its slot stays in use until it returns.
  deps.events.emit('handler.unresponsive', ids);
  await unresponsive;
}

interface RecordedRun {
  /** Null if another attempt owns the job. */
  recorded: Outcome | null;
  durationMs: number;
  unresponsive: Promise<void> | null;
}

/**
 * Runs the handler and records its outcome. The slot is free when the handler has returned, unless too many outcomes are
 * being recorded. The attempt is closed in every case.
 */
async function executeAndRecord(
  deps: RunDeps,
  attempt: Attempt,
  ids: AttemptIds,
  freeSlot: () => void,
): Promise<RecordedRun> {
  try {
    const { retries, maxRetries, startedAt: claimedAt, expiresAt } = attempt.claim;
    deps.events.emit('attempt.started', ids);
    const startedAt = performance.now();
    const { result, unresponsive } = await executeHandler(deps, attempt);
    const durationMs = elapsedMs(startedAt);
    // The start is by the database's clock.
    const isExpired = expiresAt !== null && claimedAt.getTime() + durationMs >= expiresAt.getTime();
    const outcome = decideOutcome(result, { retries, maxRetries, isExpired }, deps.retry, Math.random());
    const stage = stageFor(deps, attempt, outcome);
    const recorded = await deps.endings.run(() => {
      if (!unresponsive) freeSlot();
      return recordOutcome(deps, attempt, outcome, stage, durationMs);
    });
    return { recorded, durationMs, unresponsive };
  } finally {
    deps.runs.close(attempt);
  }
}

/** Moves a job whose type was unknown when it was submitted, and for whose type no worker consumes this queue. */
async function reroute(deps: RunDeps, key: JobKey, queue: string): Promise<Delivered> {
  const moved = await moveToQueue(deps.db, key, queue);
  await deps.enqueue(moved.map((job) => entryOf(job)));
  return { kind: 'gone' };
}

/** Handles a type without a live worker: its workers may come back soon. */
async function awaitHandler(
  deps: RunDeps,
  key: JobKey,
  { type, unseenMs }: { type: string; unseenMs: number | null },
): Promise<Delivered> {
  const delayMs = decideAbsent(unseenMs, deps.noHandlerAfterMs, Math.random());
  return delayMs === null ? failWithoutHandler(deps, key, type) : { kind: 'delay', delayMs };
}

/** Fails a job whose type no worker handles. */
async function failWithoutHandler(deps: RunDeps, key: JobKey, type: string): Promise<Delivered> {
  const failed = await failUnhandled(deps.db, [{ key, message: noHandler(type) }]);
  for (const { orgId } of failed) deps.events.emit('job.failed', { key, orgId, type, errorCode: 'no_handler' });
  return { kind: 'gone' };
}

/**
 * Chooses where a retry waits: BullMQ delays near ones as long as it does not hold too many; the others wait in
 * Postgres.
 */
function stageFor(deps: RunDeps, attempt: Attempt, outcome: Outcome): PendingStage {
  if (outcome.kind !== 'retry' && outcome.kind !== 'postponed') return 'enqueued';
  if (attempt.claim.wasHeld) return 'scheduled';
  return outcome.delayMs <= MAX_REDIS_DELAY_MS && deps.window.reserveDelayed(attempt.claim.queue, attempt.claim.orgId)
    ? 'enqueued'
    : 'scheduled';
}

function errorCode(outcome: Outcome): string | null {
  return outcome.kind === 'retry' || outcome.kind === 'failed' ? outcome.error.code : null;
}
