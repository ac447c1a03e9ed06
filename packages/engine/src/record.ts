import { assertNever, type LogKind, type LogLevel } from '@jobline/contracts';
import { type Db, type HotDb, isAboutData, isUnavailable } from '@jobline/db';
import {
  type AttemptResult,
  appendLines,
  type PendingStage,
  recordResults,
  releaseRuns,
} from '@jobline/db/job-transitions';
import { type Batcher, createBatcher, pause } from '@jobline/runtime';
import type { Enqueue } from './enqueue.js';
import type { EngineEvents } from './events.js';
import { REASONS } from './job-log.js';
import { type Outcome, withoutRerun } from './outcome.js';
import type { Attempt, Runs } from './worker/runs.js';

/** Answers whether the attempt is on record. If not, a successor has the job, or it may not run again. */
export type Records = Batcher<AttemptResult, boolean>;

/** Coalesces the results of concurrent attempts into one statement. */
export function createRecords({ hot, events }: { hot: HotDb; events: EngineEvents }): Records {
  return createBatcher({
    async run(results: AttemptResult[]) {
      const recorded = await recordResults(hot, results);
      return results.map(({ token }) => recorded.has(token));
    },
    maxItems: 500,
    size: { of: sizeOf, max: MAX_STATEMENT_LENGTH },
    gatherMs: 2,
    maxInFlight: 2,
    // A value that Postgres refuses, or one damaged row, does not keep the others from being recorded.
    isolate: (error) => !isUnavailable(error),
    onBatch: (size) => events.emit('batch.sent', { step: 'record', size }),
  });
}

/** Characters of results and log lines in one statement: it is held several times in memory on its way. */
const MAX_STATEMENT_LENGTH = 1024 * 1024;

function sizeOf({ result, lines }: AttemptResult): number {
  return (result?.length ?? 0) + lines.reduce((sum, { message }) => sum + (message?.length ?? 0), 0);
}

export interface RecordDeps {
  db: Db;
  records: Records;
  runs: Runs;
  enqueue: Enqueue;
  events: EngineEvents;
}

const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 1_000;

/**
 * Writes how an attempt ended, with its last log lines, unless a successor has the job. Tried again for as long as
 * Postgres cannot do it, for whatever reason: a job that was worked on is not worked on again for want of a record. Its
 * status is never another one than `outcome` says: what Postgres refuses is left out. A re-run waits at `stage`.
 * Answers with what is on record: if somebody asked to cancel the job, an end instead of a re-run. Null: a successor has
 * the job.
 */
export async function recordOutcome(
  deps: RecordDeps,
  attempt: Attempt,
  outcome: Outcome,
  stage: PendingStage,
  durationMs: number,
): Promise<Outcome | null> {
  await attempt.flushing;
  if (await write(deps, attempt, outcome, stage, durationMs)) return outcome;
  // Either the job was canceled, or it is a successor's; then its token refuses this too.
  const end = withoutRerun(outcome);
  return end && (await write(deps, attempt, end, stage, durationMs)) ? end : null;
}

async function write(
  deps: RecordDeps,
  attempt: Attempt,
  outcome: Outcome,
  stage: PendingStage,
  durationMs: number,
): Promise<boolean> {
  if (outcome.kind === 'released') return release(deps, attempt, outcome.reason);
  await settleLines(deps, attempt);
  attempt.log.end(...lastEntry(outcome));
  const result = toAttemptResult(attempt, outcome, stage, durationMs);
  const isRecorded = await store(deps, attempt, result);
  // All but the last, which says what did not come true.
  if (!isRecorded) attempt.log.giveBack(result.lines.slice(0, -1));
  return isRecorded;
}

/** Lines that an unanswered statement may have written are not in an result, which would write them again. */
async function settleLines(deps: RecordDeps, attempt: Attempt): Promise<void> {
  const flush = () => deps.runs.flushLogs((lines) => appendLines(deps.db, lines), attempt);
  while (attempt.log.isInDoubt()) {
    try {
      await persist(deps, flush, isAboutData);
    } catch (error) {
      deps.events.emit('step.failed', { step: 'flush logs', error });
      break;
    }
    // Another transaction holds the job's row at the moment.
    if (attempt.log.isInDoubt()) await pause(FIRST_WAIT_MS);
    await attempt.flushing;
  }
  await attempt.flushing;
}

/** The whole result or, if Postgres refuses what the handler gave, the status with as little else as it takes. */
async function store(deps: RecordDeps, attempt: Attempt, result: AttemptResult): Promise<boolean> {
  const { key, orgId, type, attempt: number } = attempt.claim;
  for (const part of [result, withoutData(result)]) {
    try {
      return await persist(deps, () => deps.records.add(part), isAboutData);
    } catch (error) {
      if (part === result) deps.events.emit('attempt.reduced', { key, orgId, type, attempt: number, error });
    }
  }
  return persist(deps, () => deps.records.add({ ...withoutData(result), lines: [] }));
}

/** Nothing in it is the handler's. */
function withoutData(result: AttemptResult): AttemptResult {
  const last = result.lines.at(-1);
  return {
    ...result,
    result: null,
    errorMessage: result.errorMessage === null ? null : REASONS.errorRefused,
    lines: last ? [{ ...last, level: 'error', message: REASONS.resultRefused }] : [],
  };
}

async function release(deps: RecordDeps, attempt: Attempt, reason: string): Promise<boolean> {
  const { key, token } = attempt.claim;
  const released = await persist(deps, () => releaseRuns(deps.db, [{ key, token }], reason));
  await deps.enqueue(released.map((entry) => ({ ...entry, delayMs: 0 })));
  return released.length > 0;
}

/** Until it is done, or fails in a way for which it `givesUp`. */
async function persist<T>(
  deps: RecordDeps,
  write: () => Promise<T>,
  givesUp: (error: unknown) => boolean = () => false,
): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
    try {
      return await write();
    } catch (error) {
      if (givesUp(error)) throw error;
      deps.events.emit('step.failed', { step: 'record', error });
      await pause(waitMs);
    }
  }
}

function toAttemptResult(
  attempt: Attempt,
  outcome: Exclude<Outcome, { kind: 'released' }>,
  stage: PendingStage,
  durationMs: number,
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
    durationMs: Math.round(durationMs),
    lines: attempt.log.take(),
  };
}

/** What the entry says that ends the attempt; its numbers and times are columns of their own. */
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
