import { HandlerError, RetryLater } from '../errors.js';
import type { OutboundResponse } from '../ports/index.js';
import { retryAfterMs } from './retry-after.js';

/**
 * The failure that an answer other than a success means; `who` answered. A wait that they name counts only where
 * waiting can help.
 */
export function responseFailure(
  { status, headers }: Pick<OutboundResponse, 'status' | 'headers'>,
  who: string,
): HandlerError {
  const message = `${who} answered ${status}`;
  if (status < 500 && !PASSING.has(status)) return new HandlerError('provider_rejected', message);
  const delayMs = retryAfterMs(headers['retry-after']);
  return delayMs === null
    ? new HandlerError('provider_unavailable', message)
    : new RetryLater(delayMs, message, { code: 'provider_unavailable' });
}

/** Request timeout, too early, too many requests: of the 4xx those that mean "later". */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);
