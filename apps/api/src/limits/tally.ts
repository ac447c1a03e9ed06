import { AppError } from '@jobline/contracts';
import type { ReplyHeader } from '../http/replies.js';

/** How a caller stands with a budget, after what they have just asked for. */
export interface Tally {
  isOver: boolean;
  limit: number;
  remaining: number;
  /** Until all of it is there again. */
  resetS: number;
  /** Until the next request has a chance; 0 when it has one now. */
  retryAfterS: number;
}

export const TALLY_HEADERS = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
] as const satisfies ReplyHeader[];

export function tallyHeaders({ limit, remaining, resetS }: Tally): Record<(typeof TALLY_HEADERS)[number], string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetS),
  };
}

/** `what` is a sentence; when to try again is added to it. */
export function rateLimited(what: string, tally: Tally): AppError {
  const { retryAfterS } = tally;
  return new AppError('rate_limited', `${what} Try again in ${retryAfterS} s.`, {
    headers: { 'Retry-After': String(retryAfterS), ...tallyHeaders(tally) },
  });
}
