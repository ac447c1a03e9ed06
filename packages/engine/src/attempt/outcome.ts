import { assertNever, JOB_ERROR_CODES, type JobErrorCode } from '@jobline/contracts';
import type { HoldSign } from '@jobline/db';
import { failureOf, HandlerError, messageOf, PermanentError } from '@jobline/handlers';
import { REASONS, storableText } from '../reporting/job-log.js';
import { backoffMs, type RetryPolicy } from './backoff.js';

/** The result of calling a handler. */
export type HandlerResult =
  | { kind: 'returned'; value: unknown }
  /** `stack`: present if a custom handler threw the error; null: the error has none. */
  | { kind: 'threw'; error: unknown; stack?: string | null }
  /** The time limit passed before it returned. */
  | { kind: 'timed-out'; limitMs: number }
  /** The worker stopped or lost its lease before the handler returned. */
  | { kind: 'interrupted'; reason: string }
  /** The job was canceled before the handler returned. */
  | { kind: 'canceled' };

/** What decides whether a failure is retried. */
export interface RetriesLeft {
  retries: number;
  maxRetries: number;
  /** Whether no attempt may start any more. */
  isExpired: boolean;
}

export interface JobError {
  code: JobErrorCode;
  message: string;
  /** Present if a custom handler threw the error; null: the error has none. */
  stack?: string | null;
}

/** What happens to the job after an attempt. */
export type Outcome =
  | { kind: 'done'; result: string }
  | { kind: 'retry'; delayMs: number; error: JobError }
  | { kind: 'failed'; error: JobError }
  /** The handler could not begin its work. The job runs again later; no retry is used. */
  | { kind: 'postponed'; delayMs: number; reason: string }
  /** Another worker runs the job; no retry is used. */
  | { kind: 'released'; reason: string };

/** The error of a canceled job. */
export const CANCELED: JobError = { code: 'canceled', message: REASONS.canceled };

const MAX_RESULT_BYTES = 1024 * 1024;
const MAX_MESSAGE_BYTES = 2_048;
/** Handlers may request any delay, but the dates of Postgres have a maximum. */
const MAX_POSTPONED_MS = 30 * 86_400_000;

/** Decides the outcome of a job from the result of its handler. Pure. `random` in [0, 1) jitters the backoff. */
export function decideOutcome(result: HandlerResult, job: RetriesLeft, policy: RetryPolicy, random: number): Outcome {
  switch (result.kind) {
    case 'returned': {
      const text = toResultText(result.value);
      return typeof text === 'string' ? { kind: 'done', result: text } : fail(text, job, policy, random);
    }
    case 'threw':
      return fail(result.error, job, policy, random, result.stack);
    case 'timed-out':
      return fail(
        new HandlerError('timeout', `the handler took longer than ${result.limitMs / 1000} s`),
        job,
        policy,
        random,
      );
    case 'interrupted':
      return { kind: 'released', reason: result.reason };
    case 'canceled':
      return { kind: 'failed', error: CANCELED };
    default:
      return assertNever(result);
  }
}

/**
 * Decides the outcome of a canceled job whose attempt would have led to another attempt. Returns null if the outcome
 * already finishes the job. Pure.
 */
export function outcomeWithoutRetry(outcome: Outcome): Outcome | null {
  if (outcome.kind === 'retry') return { kind: 'failed', error: outcome.error };
  const isUnfinished = outcome.kind === 'released' || outcome.kind === 'postponed';
  return isUnfinished ? { kind: 'failed', error: CANCELED } : null;
}

const HOLD_SIGNS: Partial<Record<JobErrorCode, HoldSign>> = {
  provider_unavailable: 'unavailable',
  timeout: 'unavailable',
  provider_rejected: 'refused',
};

/** What an outcome means for limits that hold themselves. Null: nothing. */
export function holdSignOf(outcome: Outcome): HoldSign | null {
  if (outcome.kind === 'done') return 'done';
  return 'error' in outcome ? (HOLD_SIGNS[outcome.error.code] ?? null) : null;
}

function fail(thrown: unknown, job: RetriesLeft, policy: RetryPolicy, random: number, stack?: string | null): Outcome {
  const { code, isPermanent, isPostponed, delayMs } = failureOf(thrown);
  if (isPostponed) {
    const waitMs = Math.min(Math.max(1, Math.round(delayMs)), MAX_POSTPONED_MS);
    return { kind: 'postponed', delayMs: waitMs, reason: toMessage(thrown) };
  }
  const error: JobError = { code, message: toMessage(thrown), ...(stack !== undefined && { stack }) };
  const isFinal = isPermanent || !JOB_ERROR_CODES[code].retried;
  if (isFinal || job.isExpired || job.retries >= job.maxRetries) return { kind: 'failed', error };
  const askedMs = Math.min(delayMs, policy.maxMs);
  return { kind: 'retry', delayMs: Math.max(backoffMs(job.retries + 1, policy, random), askedMs), error };
}

/** Returns the value as JSON text, or the error if it is not JSON. */
function toResultText(value: unknown): string | Error {
  try {
    const text = JSON.stringify(value) ?? 'null';
    if (Buffer.byteLength(text) <= MAX_RESULT_BYTES) return text;
    return new PermanentError(`the handler returned more than ${MAX_RESULT_BYTES} bytes of JSON`);
  } catch (cause) {
    return new PermanentError('the handler returned a value that cannot be written as JSON', { cause });
  }
}

/** Returns the error message for the log and the result of the job. */
function toMessage(thrown: unknown): string {
  return storableText(messageOf(thrown), MAX_MESSAGE_BYTES) || 'the handler failed';
}
