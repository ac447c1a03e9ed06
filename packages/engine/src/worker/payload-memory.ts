import { getHeapStatistics } from 'node:v8';
import type { Db } from '@jobline/db';
import { type Claim, readPayload } from '@jobline/db/job-transitions';
import { createWeightLimiter } from '@jobline/runtime';

/** The memory that large payloads of running attempts may take in this process. Organizations take turns. */
export interface PayloadMemory {
  /**
   * Resolves with the claim's payload once there is memory for it; `release` is to be called when the handler has returned.
   * Null: the job is no longer this claim's. Rejects with the signal's reason if it fires before, and when Postgres fails.
   */
  hold(claim: Claim, signal: AbortSignal): Promise<HeldPayload | null>;
}

export interface HeldPayload {
  /** JSON text. */
  text: string;
  release(): void;
}

/** Parsed, a payload takes up to 22 times as much as its text: then all of them take less than three quarters of the heap. */
const HEAP_SHARE = 1 / 32;
const LARGEST_CAPACITY_BYTES = 64 * 1024 * 1024;
/** Of one organization: what its handlers compute from large payloads at once holds up nobody for long. */
const BYTES_PER_ORGANIZATION = 2 * 1024 * 1024;

export function createPayloadMemory(
  db: Db,
  capacityBytes = Math.min(getHeapStatistics().heap_size_limit * HEAP_SHARE, LARGEST_CAPACITY_BYTES),
): PayloadMemory {
  const limiter = createWeightLimiter({ capacity: capacityBytes, maxWeightPerOwner: BYTES_PER_ORGANIZATION });
  return {
    async hold(claim, signal) {
      if (claim.payload !== null) return { text: claim.payload, release: () => undefined };
      const release = await limiter.take(claim.orgId, claim.payloadBytes, signal);
      try {
        const text = await readPayload(db, claim);
        if (text !== null) return { text, release };
      } catch (error) {
        release();
        throw error;
      }
      release();
      return null;
    },
  };
}
