import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from './payload.js';
import type { Store } from './peer.js';
import type { Process } from './processes.js';

/** What a worker has run since it was started or the watch was reset. */
export interface Watch {
  count(): number;
  /** When its first handler started, by the monotonic clock. */
  firstAt(): number;
  pickupMs(): readonly number[];
  reset(): void;
  /** Resolves with the time at which so many handlers had run and the system itself had nothing unfinished left. */
  finished(count: number, store: Store): Promise<number>;
}

const STALL_LIMIT_MS = 60_000;
/** How exactly the end of a measurement is known. */
const LOOK_EVERY_MS = 2;

export function watch(worker: Process): Watch {
  let count = 0;
  let firstAt = Number.POSITIVE_INFINITY;
  let pickupMs: number[] = [];
  worker.onRan((ran) => {
    count += ran.count;
    firstAt = Math.min(firstAt, ran.first);
    pickupMs.push(...ran.pickupMs);
  });

  return {
    count: () => count,
    firstAt: () => firstAt,
    pickupMs: () => pickupMs,
    reset() {
      count = 0;
      firstAt = Number.POSITIVE_INFINITY;
      pickupMs = [];
    },
    async finished(wanted, store) {
      for (let seen = count, movedAt = nowMs(); count < wanted; await sleep(LOOK_EVERY_MS)) {
        if (count > seen) {
          seen = count;
          movedAt = nowMs();
        } else if (nowMs() - movedAt > STALL_LIMIT_MS) {
          throw new Error(`${worker.name} has run ${count} of ${wanted} jobs and no more for a minute`);
        }
      }
      for (const until = nowMs() + STALL_LIMIT_MS; await store.hasUnfinished(); await sleep(LOOK_EVERY_MS)) {
        if (nowMs() > until) throw new Error(`${worker.name} has run all jobs, but some are not finished`);
      }
      return nowMs();
    },
  };
}
