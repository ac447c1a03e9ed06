import type { JobKey } from '@jobline/contracts';
import { isLockTimeout, isUnavailable } from '@jobline/db';
import {
  type Claim,
  type ClaimAnswer,
  type Claimer,
  claimHeld,
  claimJobs,
  type Delivery,
  type HeldDelivery,
} from '@jobline/db/job-transitions';
import { type Batcher, createBatcher, pause, randomId } from '@jobline/runtime';
import { startHeld } from '../limits/check-limits.js';
import type { WorkOptions } from '../options.js';
import type { DeliveredEntry } from '../queue/entry.js';
import type { Lease } from '../start/lease.js';
import type { CrashIsolation } from './crash-isolation.js';
import type { Runs } from './runs.js';

export type Claims = ReturnType<typeof createClaims>;

export interface ClaimDeps extends Pick<WorkOptions, 'db' | 'hot' | 'events' | 'leaseMs' | 'producer'> {
  runs: Runs;
  lease: Lease;
  crashIsolation: CrashIsolation;
  types: readonly string[];
}

/**
 * The pauses before a job whose organization was locked is claimed again. Normally another claim has the lock, for milliseconds. If
 * it lasts longer, the entry returns to its queue, so that it holds no slot.
 */
const LOCKED_PAUSES_MS = [5, 10, 20, 40, 80];

/**
 * Combines the claims of concurrent deliveries: one statement claims jobs under no limit, and another one held jobs, whose
 * limits it checks.
 */
export function createClaims(deps: ClaimDeps) {
  const { runs } = deps;
  const plain = batcherOf<Delivery>(deps, (worker, deliveries) => claimJobs(deps.hot, worker, deliveries));
  const batchers = new Map<string, Batcher<HeldDelivery, ClaimAnswer>>();

  /** Claims of the held jobs of one queue do not wait for those of another. */
  function heldOf(queue: string): Batcher<HeldDelivery, ClaimAnswer> {
    const held =
      batchers.get(queue) ??
      batcherOf<HeldDelivery>(deps, async (worker, deliveries) => {
        const answers = await claimHeld(deps.db, worker, deliveries, startHeld);
        // The dispatcher decides when they may.
        if (answers.some(({ kind }) => kind === 'held')) deps.producer.publishWaiting();
        return answers;
      });
    batchers.set(queue, held);
    return held;
  }

  return {
    /**
     * Tries to get the right to run a delivered job, or another one of its lane. `entry`: what was delivered. A duplicate delivery
     * is harmless: each delivery has its own token, and only the holder of the token in the database may run the job. If the answer
     * is lost, the token is forgotten here, and the job is released when the worker compares its runs with its rows. Rejects if
     * Postgres fails.
     */
    async claim(key: JobKey, { queue, lane = null, isDirect = false }: DeliveredEntry): Promise<ClaimAnswer> {
      const token = randomId();
      runs.expect(token);
      try {
        let answer: ClaimAnswer = lane ? { kind: 'held' } : await plain.add({ key, token });
        if (answer.kind === 'held') answer = await heldOf(queue).add({ key, lane, isDirect, token });
        for (const pauseMs of LOCKED_PAUSES_MS) {
          if (answer.kind !== 'locked') break;
          await pause(pauseMs * (0.5 + Math.random()));
          answer = await heldOf(queue).add({ key, lane, isDirect, token });
        }
        if (answer.kind !== 'claimed') runs.forget(token);
        return answer;
      } catch (error) {
        runs.forget(token);
        throw error;
      }
    },
  };
}

function batcherOf<D extends Delivery>(
  { events, lease, crashIsolation, types, leaseMs }: ClaimDeps,
  claim: (worker: Claimer, deliveries: readonly D[]) => Promise<ClaimAnswer[]>,
): Batcher<D, ClaimAnswer> {
  return createBatcher({
    async run(deliveries: D[]): Promise<ClaimAnswer[]> {
      const id = lease.registeredId();
      // With an identity that Postgres does not know yet, every claim would report that this worker is dead.
      if (id === null) return deliveries.map(() => ({ kind: 'worker-dead', workerId: lease.id() }));
      const capacity = crashIsolation.reserve();
      let claims: Claim[] = [];
      try {
        const answers = await claim({ id, types, leaseMs, capacity }, deliveries);
        // Another worker may have taken over these jobs before the answer arrived.
        if (lease.registeredId() !== id) return answers.map((answer) => withoutClaim(answer, id));
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
    // A lock timeout is about one job, whose row another transaction has locked.
    isolate: (error) => !isUnavailable(error) || isLockTimeout(error),
    onBatch: (size) => events.emit('batch.sent', { step: 'claim', size }),
  });
}

function withoutClaim(answer: ClaimAnswer, workerId: string): ClaimAnswer {
  return answer.kind === 'claimed' ? { kind: 'worker-dead', workerId } : answer;
}
