import { countStoredBytes, type Db } from '@jobline/db';
import { elapsedMs } from '@jobline/runtime';
import type { Lease } from '../start/lease.js';
import { type LeasedTask, leasedTask } from './task.js';

/** How much an organization may store, unless the operator sets it. */
export const DEFAULT_STORED_BYTES = 50 * 1024 ** 3;

const REST_MS = 60_000;
/** Counting uses at most a fiftieth of the time. */
const REST_FACTOR = 50;
const LONGEST_REST_MS = 4 * 60_000;
/** The limit per table, 16 MiB. */
const MAX_PAGES = 2_048;

/** Counts the bytes that organizations store, so that their quota can be enforced. */
export function createStoredBytes({ db, lease }: { db: Db; lease: Lease }): LeasedTask {
  return leasedTask({
    name: 'stored bytes',
    leaseName: 'stored-bytes',
    db,
    lease,
    ttlMs: 5 * 60_000,
    askAgainMs: REST_MS,
    async round() {
      const startedAt = performance.now();
      await countStoredBytes(db, MAX_PAGES);
      return Math.min(LONGEST_REST_MS, Math.max(REST_MS, REST_FACTOR * elapsedMs(startedAt)));
    },
  });
}
