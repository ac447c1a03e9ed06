import type { JobKey } from '@jobline/contracts';
import { type Db, isUnavailable } from '@jobline/db';
import { type ClaimAnswer, claimJobs, type Delivery } from '@jobline/db/job-transitions';
import { type Batcher, createBatcher, randomId } from '@jobline/runtime';
import type { Lease } from './lease.js';
import type { Runs } from './runs.js';

export type Claims = Batcher<Delivery, ClaimAnswer>;

/** Coalesces the claims of concurrent deliveries into one statement. */
export function createClaims(deps: { db: Db; lease: Lease; types: readonly string[]; leaseMs: number }): Claims {
  return createBatcher({
    run: (deliveries: Delivery[]) =>
      claimJobs(deps.db, { id: deps.lease.id(), types: deps.types, leaseMs: deps.leaseMs }, deliveries),
    maxItems: 500,
    gatherMs: 2,
    maxInFlight: 2,
    isolate: (error) => !isUnavailable(error),
  });
}

/**
 * Tries to win the right to run a delivered job. A duplicate delivery is harmless: each brings a token of its own, and
 * only the holder of the token that the database kept may run. If the answer is lost on its way, the token is
 * forgotten here, and the worker's comparison with its rows gives the job back.
 */
export async function claimJob(deps: { claims: Claims; runs: Runs }, key: JobKey): Promise<ClaimAnswer> {
  const token = randomId();
  deps.runs.expect(token);
  try {
    const answer = await deps.claims.add({ key, token });
    if (answer.kind !== 'claimed') deps.runs.forget(token);
    return answer;
  } catch (error) {
    deps.runs.forget(token);
    throw error;
  }
}
