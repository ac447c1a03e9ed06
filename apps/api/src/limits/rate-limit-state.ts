import { AppError } from '@jobline/contracts';
import type { ReplyHeader } from '../http/responses.js';

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

/** For what is limited by how much of it runs or waits, not by how often it is asked for. */
export function tooBusy(what: string, retryAfterS: number, cause?: unknown): AppError {
  return rateLimited(what, { isOver: true, limit: 0, remaining: 0, resetS: retryAfterS, retryAfterS }, cause);
}

/** `what` is a sentence; when to try again is added to it. */
export function rateLimited(what: string, tally: Tally, cause?: unknown): AppError {
  const { retryAfterS } = tally;
  return new AppError('rate_limited', `${what} Try again in ${retryAfterS} s.`, {
    headers: { 'Retry-After': String(retryAfterS), ...tallyHeaders(tally) },
    cause,
  });
}
