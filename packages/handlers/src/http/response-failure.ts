import { HandlerError, RetryLater } from '../errors.js';
import type { OutboundResponse } from '../ports/index.js';
import { retryAfterMs } from './retry-after.js';

/**
 * The failure that an unsuccessful response means. `who` sent it. A requested wait counts only if a retry can succeed.
 */
export function responseFailure(
  { status, headers }: Pick<OutboundResponse, 'status' | 'headers'>,
  who: string,
): HandlerError {
  const message = `${who} answered ${status}`;
  if (status < 500 && !RETRYABLE.has(status)) return new HandlerError('provider_rejected', message);
  const delayMs = retryAfterMs(headers['retry-after']);
  return delayMs === null
    ? new HandlerError('provider_unavailable', message)
    : new RetryLater(delayMs, message, { code: 'provider_unavailable' });
}

/** Request timeout, too early and too many requests: the 4xx statuses after which a retry may succeed. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 425, 429]);
