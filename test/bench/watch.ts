import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from './payload.js';
import type { Store } from './peer.js';
import type { Process } from './processes.js';

/** The jobs that a worker has run since its start or the last reset. */
export interface Watch {
  count(): number;
  /** The start of its first handler, by the monotonic clock. */
  firstAt(): number;
  pickupMs(): readonly number[];
  reset(): void;
  /** Resolves with the time when `count` handlers had run and the system's own store had no unfinished job. */
  finished(count: number, store: Store): Promise<number>;
}

const STALL_LIMIT_MS = 60_000;
/** The precision of the end of a measurement. */
const CHECK_EVERY_MS = 2;

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
      for (let seen = count, movedAt = nowMs(); count < wanted; await sleep(CHECK_EVERY_MS)) {
        if (count > seen) {
          seen = count;
          movedAt = nowMs();
        } else if (nowMs() - movedAt > STALL_LIMIT_MS) {
          throw new Error(`${worker.name} has run ${count} of ${wanted} jobs and has made no progress for a minute`);
        }
      }
      for (const until = nowMs() + STALL_LIMIT_MS; await store.hasUnfinished(); await sleep(CHECK_EVERY_MS)) {
        if (nowMs() > until) throw new Error(`${worker.name} has run all jobs, but some are not finished`);
      }
      return nowMs();
    },
  };
}
