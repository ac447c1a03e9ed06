import { type Failure, HandlerError, PermanentError, RetryLater } from '@jobline/handlers/errors';

const RETRY_AFTER_MS = 5_000;

/** A task whose process was killed because of it, or crashed under it: the task is to blame, not its process. */
export class ForcedEnd extends Error {
  override readonly name = 'ForcedEnd';

  constructor(readonly reason: 'time' | 'memory') {
    super(reason === 'time' ? 'it takes too long' : 'it needs too much memory');
  }
}

/** The task has not run, and may run later: too many wait, or its process ended for a reason that is not the task's. */
export function notNow(reason: string, cause?: unknown): RetryLater {
  return new RetryLater(RETRY_AFTER_MS, reason, { code: 'handler_error', cause });
}

/** The error that a task threw in its process, as the parent throws it. */
export function toError(message: string, { code, isPermanent, delayMs }: Failure): HandlerError {
  if (isPermanent) return new PermanentError(message, { code });
  return delayMs > 0 ? new RetryLater(delayMs, message, { code }) : new HandlerError(code, message);
}
