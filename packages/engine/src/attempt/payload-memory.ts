import { getHeapStatistics } from 'node:v8';
import type { Db } from '@jobline/db';
import { type Claim, readPayload } from '@jobline/db/job-transitions';
import { createFairLimiter } from '@jobline/runtime';
import type { Stop } from './runs.js';

/** Limits the memory for large payloads of running attempts in this process. Organizations get it in turns. */
export interface PayloadMemory {
  /**
   * Resolves with the payload of the claim when there is memory for it. `release` must be called when the handler has
   * returned. Resolves with null if the claim is no longer valid. Rejects with the reason of `stop` if it fires first, and
   * if Postgres fails.
   */
  hold(claim: Claim, stop: Stop): Promise<HeldPayload | null>;
}

export interface HeldPayload {
  /** The payload as JSON text. */
  text: string;
  release(): void;
}

/**
 * A parsed payload takes up to 22 times the memory of its text. With this share, all of them take less than three
 * quarters of the heap.
 */
const HEAP_SHARE = 1 / 32;
const LARGEST_CAPACITY_BYTES = 64 * 1024 * 1024;
/** Limit per organization, so that the processing of its large payloads does not delay others for long. */
const BYTES_PER_ORGANIZATION = 2 * 1024 * 1024;

export function createPayloadMemory(
  db: Db,
  capacityBytes = Math.min(getHeapStatistics().heap_size_limit * HEAP_SHARE, LARGEST_CAPACITY_BYTES),
): PayloadMemory {
  const limiter = createFairLimiter({
    capacity: capacityBytes,
    weightPerOwner: BYTES_PER_ORGANIZATION,
    isPaced: true,
  });
  return {
    async hold(claim, stop) {
      if (claim.payload !== null) return { text: claim.payload, release: () => undefined };
      const release = await limiter.take({ owner: claim.orgId, weight: claim.payloadBytes, signal: stop.signal() });
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
