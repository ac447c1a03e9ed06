import { countStoredBytes, type Db, dropLease, holdLease } from '@jobline/db';
import { elapsedMs } from '@jobline/runtime';
import type { Lease } from '../worker/lease.js';

/** Counts what organizations store, by one worker at a time, so that the API can hold them to their quota. */
export interface StoredBytes {
  /** Answers how long the next round is to be put off. */
  round(): Promise<number>;
  /** Lets another worker take over at once. */
  end(): Promise<void>;
}

const LEASE_NAME = 'stored-bytes';
/** Longer than a rest, so that it is the same worker that rests and goes on. */
const LEASE_TTL_MS = 5 * 60_000;
const REST_MS = 60_000;
/** Of the time, a fiftieth at most is spent counting. */
const REST_FACTOR = 50;
const LONGEST_REST_MS = 4 * 60_000;
/** Of each table, 16 MiB. */
const MAX_PAGES = 2_048;

export function createStoredBytes({ db, lease }: { db: Db; lease: Lease }): StoredBytes {
  return {
    async round() {
      if (!(await holdLease(db, { name: LEASE_NAME, holder: lease.id(), ttlMs: LEASE_TTL_MS }))) return REST_MS;
      const startedAt = performance.now();
      await countStoredBytes(db, MAX_PAGES);
      return Math.min(LONGEST_REST_MS, Math.max(REST_MS, REST_FACTOR * elapsedMs(startedAt)));
    },
    end: () => dropLease(db, { name: LEASE_NAME, holder: lease.id() }),
  };
}
