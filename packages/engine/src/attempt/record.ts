import { assertNever, type LogKind, type LogLevel, type OrgId } from '@jobline/contracts';
import { isAboutData, isUnavailable } from '@jobline/db';
import {
  type AttemptResult,
  appendLines,
  type PendingStage,
  recordResults,
  refusePayload,
  releaseRuns,
} from '@jobline/db/job-transitions';
import { createBatcher, createFairLimiter, pause } from '@jobline/runtime';
import type { WorkOptions } from '../options.js';
import { entryOf } from '../queue/entry.js';
import { REASONS } from '../reporting/job-log.js';
import type { Enqueue } from '../submit/enqueue.js';
import type { LargeWrites } from './large-writes.js';
import { lengthOf } from './line-buffer.js';
import { holdSignOf, type Outcome, outcomeWithoutRetry } from './outcome.js';
import type { AppendLines, Attempt, Runs } from './runs.js';

/** The records of this worker's attempts. */
export type Records = ReturnType<typeof createRecords>;

/**
 * How much is recorded at the same time, and how much of one organization: others need not wait for it. An attempt counts as one, and a
 * large one, with its result and log lines, as one more for each of these parts, in characters. So one statement can record hundreds of ordinary attempts.
 */
const MAX_RECORDS = 1_250;
const MAX_OF_ORG = 1_000;
const PART = 64 * 1024;
/** Earlier log lines are written before the result, if all together are longer. In characters. */
const MAX_LINES_LENGTH = 64 * 1024;
/** How many statements with such lines run at the same time. */
const MAX_APPENDS = 2;
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 1_000;
/**
 * Limit of characters of results and log lines per statement, because a statement is in memory several times while it
 * is sent.
 */
const MAX_STATEMENT_LENGTH = 1024 * 1024;

interface OwnedResult {
  orgId: OrgId;
  result: AttemptResult;
}

/** Combines the outcomes of concurrent attempts into one statement. Organizations take turns. */
export function createRecords({
  db,
  hot,
  runs,
  enqueue,
  events,
  writeInTurn,
  producer,
  leaseMs,
  storesStacks,
}: Pick<WorkOptions, 'db' | 'hot' | 'events' | 'leaseMs' | 'storesStacks'> & {
  producer: Pick<WorkOptions['producer'], 'publishWaiting'>;
  runs: Runs;
  enqueue: Enqueue;
  writeInTurn: LargeWrites;
}) {
  const limiter = createFairLimiter({ capacity: MAX_RECORDS, weightPerOwner: MAX_OF_ORG });
  const appends = createFairLimiter({ capacity: MAX_APPENDS });
  const results = createBatcher({
    async run(batch: OwnedResult[]) {
      const { recorded, isAwaited } = await recordResults(
        hot,
        batch.map(({ result }) => result),
      );
      // The jobs that wait for one of these may be due.
      if (isAwaited) producer.publishWaiting();
      return batch.map(({ result }) => recorded.has(result.token));
    },
    maxItems: 500,
    size: { of: ({ result }) => sizeOf(result), max: MAX_STATEMENT_LENGTH },
    ownerOf: ({ orgId }) => orgId,
    gatherMs: 2,
    maxInFlight: 2,
    // A value that Postgres rejects, or one damaged row, does not prevent the recording of the others.
    isolate: (error) => !isUnavailable(error),
    onBatch: (size) => events.emit('batch.sent', { step: 'record', size }),
  });

  async function write(attempt: Attempt, outcome: Outcome, stage: PendingStage, durationMs: number): Promise<boolean> {
    if (outcome.kind === 'released') return release(attempt, outcome.reason);
    // Lines of an unanswered statement must not be part of a result, which would write them again.
    const mustFlush = () => attempt.log.isInDoubt() || attempt.log.length() > MAX_LINES_LENGTH;
    if (mustFlush()) await flushWhile(attempt, mustFlush);
    attempt.log.end(...lastEntry(outcome));
    const result = toAttemptResult(attempt, outcome, { stage, durationMs, storesStacks });
    const isRecorded = await store(attempt, result);
    // All lines except the last, which states an outcome that was not recorded.
    if (!isRecorded) attempt.log.putBack(result.lines.slice(0, -1));
    else if (result.status === 'pending' && stage === 'enqueued') {
      const { isLowPriority, claim } = attempt;
      await enqueue([entryOf({ ...claim, seq: claim.seq + 1 }, { delayMs: result.delayMs, isLowPriority })]);
    }
    return isRecorded;
  }

  /** Writes the lines of the attempt for as long as `isNeeded`, unless Postgres rejects them. */
  async function flushWhile(attempt: Attempt, isNeeded: () => boolean): Promise<void> {
    const { orgId } = attempt.claim;
    const append: AppendLines = (lines) =>
      writeInTurn({ orgId, length: lengthOf(lines) }, () =>
        appends.run(() => appendLines(db, lines), { owner: orgId }),
      );
    const flush = () => runs.flushLogs(append, attempt);
    while (isNeeded()) {
      const before = attempt.log.confirmed();
      try {
        await persist(flush, isAboutData);
      } catch (error) {
        events.emit('step.failed', { step: 'flush logs', error });
        break;
      }
      // Another transaction has locked the row of the job.
      if (isNeeded() && attempt.log.confirmed() === before) await pause(FIRST_WAIT_MS);
      await attempt.flushing;
    }
    await attempt.flushing;
  }

  /**
   * Stores the complete result or, if Postgres rejects the data of the handler, the status with as much else as it
   * accepts.
   */
  async function store(attempt: Attempt, result: AttemptResult): Promise<boolean> {
    const { key, orgId, type, attempt: number } = attempt.claim;
    const add = (part: AttemptResult) =>
      persist(
        () => writeInTurn({ orgId, length: sizeOf(part) }, () => results.add({ orgId, result: part })),
        isAboutData,
      );
    try {
      return await add(result);
    } catch (error) {
      events.emit('attempt.reduced', { key, orgId, type, attempt: number, error });
    }
    const reduced = withoutData(result);
    return add(reduced).catch(() => persist(() => results.add({ orgId, result: { ...reduced, lines: [] } })));
  }

  async function release(attempt: Attempt, reason: string): Promise<boolean> {
    const { key, token } = attempt.claim;
    // While the token holds: lines that are not stored before the release are lost.
    attempt.log.close();
    await flushWhile(attempt, () => !attempt.log.isEmpty());
    const released = await persist(() => releaseRuns(db, [{ key, token }], reason));
    await enqueue(released.map((job) => entryOf(job)));
    return released.length > 0;
  }

  /** Repeats the write until it succeeds, or until it fails with an error for which `givesUp` is true. */
  async function persist<T>(write: () => Promise<T>, givesUp: (error: unknown) => boolean = () => false): Promise<T> {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
      try {
        return await write();
      } catch (error) {
        if (givesUp(error)) throw error;
        events.emit('step.failed', { step: 'record', error });
        await pause(waitMs);
      }
    }
  }

  return {
    /**
     * Resolves when the outcome of another attempt may be recorded, with a function to call when that is done. Bounds how many
     * are recorded at the same time, because their results use memory.
     */
    reserve({ claim, log }: Attempt, outcome: Outcome): Promise<() => void> {
      const length = log.length() + (outcome.kind === 'done' ? outcome.result.length : 0);
      return limiter.take({ owner: claim.orgId, weight: 1 + Math.floor(length / PART) });
    },
    /**
     * Leaves the job of an attempt, whose payload the schema of this worker refuses, to a live worker with another schema. False: there
     * is none, or the job may not run again.
     */
    async refuse({ claim }: Attempt): Promise<boolean> {
      const isRefused = await persist(() => refusePayload(db, claim, leaseMs));
      if (isRefused) producer.publishWaiting();
      return isRefused;
    },
    /**
     * Records the outcome of an attempt with its last log lines, unless another attempt owns the job. Repeats the write
     * for as long as Postgres fails, for whatever reason: work that is done must not be done again because the record is
     * missing. The status is always that of `outcome`; data that Postgres rejects is left out. A retry waits at `stage`.
     * Returns the recorded outcome: if the job was canceled, a failure instead of a retry. Returns null if another attempt
     * owns the job.
     */
    async record(attempt: Attempt, outcome: Outcome, stage: PendingStage, durationMs: number): Promise<Outcome | null> {
      await attempt.flushing;
      if (await write(attempt, outcome, stage, durationMs)) return outcome;
      // Either the job was canceled, or another attempt owns it; then the token makes this write fail too.
      const end = outcomeWithoutRetry(outcome);
      return end && (await write(attempt, end, stage, durationMs)) ? end : null;
    },
  };
}

/** In characters. */
function sizeOf({ result, errorStack, lines }: AttemptResult): number {
  return (result?.length ?? 0) + (errorStack?.length ?? 0) + lengthOf(lines);
}

/** Removes all data that came from the handler. */
function withoutData(result: AttemptResult): AttemptResult {
  const last = result.lines.at(-1);
  return {
    ...result,
    result: null,
    errorMessage: result.errorMessage === null ? null : REASONS.errorRefused,
    errorStack: null,
    lines: last ? [{ ...last, level: 'error', message: REASONS.resultRefused }] : [],
  };
}

function toAttemptResult(
  attempt: Attempt,
  outcome: Exclude<Outcome, { kind: 'released' }>,
  { stage, durationMs, storesStacks }: { stage: PendingStage; durationMs: number; storesStacks: boolean },
): AttemptResult {
  const { key, token } = attempt.claim;
  const error = 'error' in outcome ? outcome.error : null;
  return {
    key,
    token,
    status: outcome.kind === 'done' || outcome.kind === 'failed' ? outcome.kind : 'pending',
    countsRetry: outcome.kind === 'retry',
    stage,
    delayMs: 'delayMs' in outcome ? outcome.delayMs : 0,
    result: outcome.kind === 'done' ? outcome.result : null,
    errorCode: error?.code ?? null,
    errorMessage: error?.message ?? null,
    errorStack: storesStacks ? (error?.stack ?? null) : null,
    durationMs: Math.round(durationMs),
    holdSign: attempt.claim.wasHeld ? holdSignOf(outcome) : null,
    lines: attempt.log.take(),
  };
}

/** Returns the log entry that ends the attempt. Its numbers and times are columns of their own. */
function lastEntry(outcome: Exclude<Outcome, { kind: 'released' }>): [LogKind, LogLevel, string | null] {
  switch (outcome.kind) {
    case 'done':
      return ['succeeded', 'info', null];
    case 'postponed':
      return ['released', 'info', outcome.reason];
    case 'retry':
      return ['failed', 'error', outcome.error.message];
    case 'failed':
      return outcome.error.code === 'canceled'
        ? ['canceled', 'error', null]
        : ['failed', 'error', outcome.error.message];
    default:
      return assertNever(outcome);
  }
}
