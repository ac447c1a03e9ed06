import type { OrgId } from '@jobline/contracts';
import { createFairLimiter, type FairLimiter } from '@jobline/runtime';
import { overloaded } from '../http/errors.js';

const WAIT_MS = 10_000;
const LARGE_PAGE = 100;
const MAX_LARGE_PAGES = 2;

/** The searches for the jobs of bulk actions. Each may read a million rows, so they have connections and time limits of their own. */
export const BULK_SCANS = { connections: 2, statementTimeoutMs: 60_000 };

/**
 * Runs expensive work one at a time for each organization, and a limited number at a time for all together. `message`
 * explains the error response for work that could not begin in time.
 */
export function limitExpensiveWork(maxConcurrent: number, message: string): FairLimiter {
  const limits = { capacity: maxConcurrent, perOwner: 1, waitMs: WAIT_MS };
  return createFairLimiter({ ...limits, isPaced: true, tooMany: () => overloaded(message) });
}

/**
 * How many requests of an organization may be in progress: each step of a request waits for a step of all others, and a read holds
 * what its first statement has read.
 */
const MAX_IN_PROGRESS = { alone: 64, shared: 12 };
/** How many more may wait, because each of them needs some KiB of memory. */
const MAX_WAITING = 1_000;

/** Limits the requests of each organization. */
export function limitRequests(): FairLimiter {
  const message = 'Your organization has too many requests in progress; try again in a second.';
  return createFairLimiter({ perOwner: MAX_IN_PROGRESS, maxQueued: MAX_WAITING, tooMany: () => overloaded(message) });
}

/**
 * Limits the concurrency of large list pages. A page of a thousand rows takes the process about 20 ms, so an organization
 * reads one at a time, and other requests are answered in between.
 */
export interface LargePages {
  /** Waits until the page may be read. Returns a function to call when the page was sent. A small page never waits. */
  take(orgId: OrgId, query: unknown): Promise<() => void>;
}

export function createLargePages(): LargePages {
  const message = 'Your organization reads too many large pages at once; try again in a second.';
  const limiter = limitExpensiveWork(MAX_LARGE_PAGES, message);
  return {
    async take(orgId, query) {
      return isLarge(query) ? limiter.take({ owner: orgId }) : () => undefined;
    },
  };
}

/** With payloads and results, a page has up to a MiB. */
function isLarge(query: unknown): boolean {
  if (typeof query !== 'object' || query === null) return false;
  return 'include' in query || ('limit' in query && Number(query.limit) > LARGE_PAGE);
}
