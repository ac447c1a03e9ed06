import type { OrgId } from '@jobline/contracts';
import { type ConcurrencyLimiter, createWeightLimiter, limitConcurrency } from '@jobline/runtime';
import { overloaded } from '../http/errors.js';

/** Runs expensive work one at a time for each organization, and a limited number at a time for all together. */
export type OrgTurns = <T>(orgId: OrgId, work: () => Promise<T>) => Promise<T>;

const WAIT_MS = 10_000;

/** `message` explains the error response for work that could not begin in time. */
export function createOrgTurns(maxConcurrent: number, message: string): OrgTurns {
  const limiter = createWeightLimiter({ capacity: maxConcurrent, maxPerOwner: 1 });
  return async (orgId, work) => {
    const release = await limiter.take(orgId, 1, AbortSignal.timeout(WAIT_MS)).catch(() => {
      throw overloaded(message);
    });
    try {
      return await work();
    } finally {
      release();
    }
  };
}

/**
 * Runs at most `count` works of an organization at the same time, in the order of the calls. So one organization cannot fill the
 * queue of the connection pool, in which the statements of all wait.
 */
export function limitPerOrg(count: number): <T>(orgId: OrgId, work: () => Promise<T>) => Promise<T> {
  const limiters = new Map<OrgId, { run: ConcurrencyLimiter; works: number }>();
  return async (orgId, work) => {
    const own = limiters.get(orgId) ?? { run: limitConcurrency(count), works: 0 };
    limiters.set(orgId, own);
    own.works++;
    try {
      return await own.run(work);
    } finally {
      own.works--;
      if (own.works === 0) limiters.delete(orgId);
    }
  };
}

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
