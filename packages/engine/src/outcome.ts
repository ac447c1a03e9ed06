import { assertNever, JOB_ERROR_CODES, type JobErrorCode } from '@jobline/contracts';
import { failureOf, HandlerError, messageOf, PermanentError } from '@jobline/handlers';
import { backoffMs, type RetryPolicy } from './backoff.js';
import { REASONS } from './job-log.js';
import { storableText } from './text.js';

/** How the run of a handler ended. */
export type HandlerResult =
  | { kind: 'returned'; value: unknown }
  | { kind: 'threw'; error: unknown }
  /** Its time limit was over before it returned. */
  | { kind: 'timed-out'; limitMs: number }
  /** The worker stopped, or lost its lease, before it returned. */
  | { kind: 'interrupted'; reason: string }
  /** Somebody asked to cancel its job before it returned. */
  | { kind: 'canceled' };

export interface JobError {
  code: JobErrorCode;
  message: string;
}

/** What becomes of the job. */
export type Outcome =
  | { kind: 'done'; result: string }
  | { kind: 'retry'; delayMs: number; error: JobError }
  | { kind: 'failed'; error: JobError }
  /** It could not begin its work, and runs again later, with nothing counted. */
  | { kind: 'postponed'; delayMs: number; reason: string }
  /** Somebody else runs it again, with nothing counted. */
  | { kind: 'released'; reason: string };

/** Of a job that was canceled. */
export const CANCELED: JobError = { code: 'canceled', message: REASONS.canceled };

const MAX_RESULT_BYTES = 1024 * 1024;
const MAX_MESSAGE_BYTES = 2_048;
/** A handler may ask for any number of ms; Postgres ends its dates somewhere. */
const MAX_POSTPONED_MS = 30 * 86_400_000;

/** Decides what an attempt's end means for its job, whatever its handler returned or threw. Pure. `random` in [0, 1) jitters the backoff. */
export function decideOutcome(
  end: HandlerResult,
  job: { retries: number; maxRetries: number },
  policy: RetryPolicy,
  random: number,
): Outcome {
  switch (end.kind) {
    case 'returned': {
      const result = toResultText(end.value);
      return typeof result === 'string' ? { kind: 'done', result } : fail(result, job, policy, random);
    }
    case 'threw':
      return fail(end.error, job, policy, random);
    case 'timed-out':
      return fail(
        new HandlerError('timeout', `the handler took longer than ${end.limitMs / 1000} s`),
        job,
        policy,
        random,
      );
    case 'interrupted':
      return { kind: 'released', reason: end.reason };
    case 'canceled':
      return { kind: 'failed', error: CANCELED };
    default:
      return assertNever(end);
  }
}

/** What becomes of a job that would run again, had nobody asked to cancel it. Null: its end stands. Pure. */
export function withoutRerun(outcome: Outcome): Outcome | null {
  if (outcome.kind === 'retry') return { kind: 'failed', error: outcome.error };
  const isUnfinished = outcome.kind === 'released' || outcome.kind === 'postponed';
  return isUnfinished ? { kind: 'failed', error: CANCELED } : null;
}

function fail(
  thrown: unknown,
  job: { retries: number; maxRetries: number },
  policy: RetryPolicy,
  random: number,
): Outcome {
  const { code, isPermanent, isPostponed, delayMs } = failureOf(thrown);
  if (isPostponed) {
    const waitMs = Math.min(Math.max(1, Math.round(delayMs)), MAX_POSTPONED_MS);
    return { kind: 'postponed', delayMs: waitMs, reason: toMessage(thrown) };
  }
  const error: JobError = { code, message: toMessage(thrown) };
  const isFinal = isPermanent || !JOB_ERROR_CODES[code].retried;
  if (isFinal || job.retries >= job.maxRetries) return { kind: 'failed', error };
  const askedMs = Math.min(delayMs, policy.maxMs);
  return { kind: 'retry', delayMs: Math.max(backoffMs(job.retries + 1, policy, random), askedMs), error };
}

/** What the handler returned as JSON text, or the error that it is not JSON. */
function toResultText(value: unknown): string | Error {
  try {
    const text = JSON.stringify(value) ?? 'null';
    if (Buffer.byteLength(text) <= MAX_RESULT_BYTES) return text;
    return new PermanentError(`the handler returned more than ${MAX_RESULT_BYTES} bytes of JSON`);
  } catch (cause) {
    return new PermanentError('the handler returned something that JSON cannot hold', { cause });
  }
}

/** A sentence for the job's log and result. */
function toMessage(thrown: unknown): string {
  return storableText(messageOf(thrown), MAX_MESSAGE_BYTES) || 'the handler failed';
}
