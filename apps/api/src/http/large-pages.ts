import type { OrgId } from '@jobline/contracts';
import { createWeightLimiter } from '@jobline/runtime';
import { overloaded } from './http-errors.js';

/**
 * Turns for large pages of lists. Reading, shaping and writing a thousand rows takes a process some 20 ms: so organizations
 * take turns, one page each, and other requests are answered in between.
 */
export interface LargePages {
  /** Resolves when the page may be read, with what is to be called once it is written. A small page never waits. */
  take(orgId: OrgId, query: unknown): Promise<() => void>;
}

const LARGE = 100;
const AT_ONCE = 2;
const WAIT_MS = 10_000;

export function createLargePages(): LargePages {
  const limiter = createWeightLimiter({ capacity: AT_ONCE, maxPerOwner: 1 });
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
