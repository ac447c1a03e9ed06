import type { OrgId } from '@jobline/contracts';
import { createWeightLimiter } from '@jobline/runtime';
import { overloaded } from '../http/errors.js';

/**
 * Limits the concurrency of large list pages. A page of a thousand rows takes the process about 20 ms, so an organization
 * reads one at a time, and other requests are answered in between.
 */
export interface LargePages {
  /** Waits until the page may be read. Returns a function to call when the page was sent. A small page never waits. */
  take(orgId: OrgId, query: unknown): Promise<() => void>;
}

const LARGE = 100;
const MAX_CONCURRENT = 2;
const WAIT_MS = 10_000;

export function createLargePages(): LargePages {
  const limiter = createWeightLimiter({ capacity: MAX_CONCURRENT, maxPerOwner: 1 });
  return {
    async take(orgId, query) {
      if (limitOf(query) <= LARGE) return () => undefined;
      return limiter.take(orgId, 1, AbortSignal.timeout(WAIT_MS)).catch(() => {
        throw overloaded('Your organization reads too many large pages at once; try again in a second.');
      });
    },
  };
}

function limitOf(query: unknown): number {
  return typeof query === 'object' && query !== null && 'limit' in query ? Number(query.limit) : 0;
}
