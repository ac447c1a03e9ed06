import { countStoredBytes, type Db, dropLease, holdLease } from '@jobline/db';
import { elapsedMs } from '@jobline/runtime';
import type { Lease } from '../start/lease.js';
import type { Task } from './task.js';

/** How much an organization may store, unless the operator sets it. */
export const DEFAULT_STORED_BYTES = 50 * 1024 ** 3;

const LEASE_NAME = 'stored-bytes';
/** Longer than a rest, so that the same worker continues after it. */
const LEASE_TTL_MS = 5 * 60_000;
const REST_MS = 60_000;
/** Counting uses at most a fiftieth of the time. */
const REST_FACTOR = 50;
const LONGEST_REST_MS = 4 * 60_000;
/** The limit per table, 16 MiB. */
const MAX_PAGES = 2_048;

/** Counts the bytes that organizations store, so that their quota can be enforced. */
export function createStoredBytes({ db, lease }: { db: Db; lease: Lease }): Task {
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
