import type { OrgId } from '@jobline/contracts';
import { createWeightLimiter } from '@jobline/runtime';
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
