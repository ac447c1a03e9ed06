import { type Failure, HandlerError, PermanentError, RetryLater } from '@jobline/handlers/errors';

const RETRY_AFTER_MS = 5_000;

/** A task whose process was killed or crashed because of the task. */
export class ForcedEnd extends Error {
  override readonly name = 'ForcedEnd';

  constructor(readonly reason: 'time' | 'memory') {
    super(reason === 'time' ? 'it takes too long' : 'it needs too much memory');
  }
}

/**
 * The task did not run and may run later: too many tasks are waiting, or its process ended for a reason that the task
 * did not cause.
 */
export function notNow(reason: string, cause?: unknown): RetryLater {
  return new RetryLater(RETRY_AFTER_MS, reason, { code: 'handler_error', cause });
}

/** Recreates the error that a task threw in its process. */
export function toError(message: string, { code, isPermanent, delayMs }: Failure): HandlerError {
  if (isPermanent) return new PermanentError(message, { code });
  return delayMs > 0 ? new RetryLater(delayMs, message, { code }) : new HandlerError(code, message);
}
