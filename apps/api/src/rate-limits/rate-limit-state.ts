import { AppError } from '@jobline/contracts';
import type { ResponseHeader } from '../http/response-specs.js';

/** The state of a caller's rate limit after the current request. */
export interface RateLimitState {
  isOver: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the whole limit is available again. */
  resetS: number;
  /** Seconds until the next request can succeed; 0 if it can succeed now. */
  retryAfterS: number;
}

export const RATE_LIMIT_HEADERS = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
] as const satisfies ResponseHeader[];

export function rateLimitHeaders({
  limit,
  remaining,
  resetS,
}: RateLimitState): Record<(typeof RATE_LIMIT_HEADERS)[number], string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetS),
  };
}

/** The error for work that is limited by how much of it runs or waits, not by how often it is requested. */
export function tooBusy(message: string, retryAfterS: number, cause?: unknown): AppError {
  return rateLimited(message, usedUp(0, retryAfterS), cause);
}

/** The state of a limit that allows nothing for this time, and then everything. */
export function usedUp(limit: number, retryAfterS: number): RateLimitState {
  return { isOver: true, limit, remaining: 0, resetS: retryAfterS, retryAfterS };
}

/** `message` is a sentence; the time to wait is added to it. */
export function rateLimited(message: string, state: RateLimitState, cause?: unknown): AppError {
  const { retryAfterS } = state;
  return new AppError('rate_limited', `${message} Try again in ${retryAfterS} s.`, {
    headers: { 'Retry-After': String(retryAfterS), ...rateLimitHeaders(state) },
    cause,
  });
}
