import type { JobKey } from '@jobline/contracts';
import { type HotDb, isUnavailable } from '@jobline/db';
import { type Claim, type ClaimAnswer, claimJobs, type Delivery } from '@jobline/db/job-transitions';
import { type Batcher, createBatcher, randomId } from '@jobline/runtime';
import type { EngineEvents } from './events.js';
import type { CrashIsolation } from './worker/crash-isolation.js';
import type { Lease } from './worker/lease.js';
import type { Runs } from './worker/runs.js';

export type Claims = Batcher<Delivery, ClaimAnswer>;

/** Combines the claims of concurrent deliveries into one statement. */
export function createClaims(deps: {
  hot: HotDb;
  events: EngineEvents;
  lease: Lease;
  crashIsolation: CrashIsolation;
  types: readonly string[];
  leaseMs: number;
}): Claims {
  const { hot, events, lease, crashIsolation, types, leaseMs } = deps;
  return createBatcher({
    async run(deliveries: Delivery[]): Promise<ClaimAnswer[]> {
      const id = lease.registeredId();
      // With an identity that Postgres does not know yet, every claim would report that this worker is dead.
      if (id === null) return deliveries.map(() => ({ kind: 'worker-dead', workerId: lease.id() }));
      const capacity = crashIsolation.reserve();
      let claims: Claim[] = [];
      try {
        const answers = await claimJobs(hot, { id, types, leaseMs, capacity }, deliveries);
        claims = answers.flatMap((answer) => (answer.kind === 'claimed' ? [answer.claim] : []));
        return answers;
      } finally {
        crashIsolation.confirm(capacity, claims);
      }
    },
    maxItems: 500,
    gatherMs: 2,
    // One at a time, so that jobs are claimed in the order of their entries.
    maxInFlight: 1,
    isolate: (error) => !isUnavailable(error),
    onBatch: (size) => events.emit('batch.sent', { step: 'claim', size }),
  });
}

/**
 * Tries to get the right to run a delivered job. A duplicate delivery is harmless: each delivery has its own token,
 * and only the holder of the token in the database may run the job. If the answer is lost, the token is forgotten
 * here, and the job is released when the worker compares its runs with its rows.
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
