import { type Db, dropLease, type HotDb, holdLeases } from '@jobline/db';
import { elapsedMs, newId } from '@jobline/runtime';
import type { Task } from './task.js';

export interface MaintenanceDeps {
  db: Db;
  hot: HotDb;
  /** The leases that this process may hold. */
  names: readonly string[];
  /** Called when this process has released its leases. */
  onReleased?(): void;
}

/** If the holder dies, another process continues within this time. */
const TTL_MS = 5_000;
const RENEW_EVERY_MS = 1_000;
const SHORTEST_PAUSE_MS = 100;
/** The pause of the tasks of another process. They begin when this process gets the lease. */
const REST_MS = 60_000;

/**
 * Selects the process that does the tasks of the whole service, so that their cost does not grow with the number of processes: the
 * holder of a lease. One statement renews or takes all leases of a process. The others ask again when the lease ends, so a holder
 * that lives is asked for seldom.
 *
 * A lease is no lock: a process that was frozen may do its round at the same time as the next holder. Each task allows that.
 */
export function createMaintenance({ db, hot, names, onReleased }: MaintenanceDeps) {
  const holder = newId();
  /** When the renewal was sent that succeeded last, by the name of the lease. */
  const heldAt = new Map<string, number>();
  const begins = new Map(names.map((name): [string, (() => void)[]] => [name, []]));
  let askedAt = Number.NEGATIVE_INFINITY;
  let wake = (): void => undefined;

  function holds(name: string): boolean {
    const at = heldAt.get(name);
    return at !== undefined && elapsedMs(at) < TTL_MS;
  }

  const task: Task = {
    name: 'leases',
    failedMs: RENEW_EVERY_MS,
    async round() {
      const sentAt = performance.now();
      askedAt = sentAt;
      const pauses = (await holdLeases(hot, { names, holder, ttlMs: TTL_MS })).map(({ name, isHeld, leftMs }) => {
        const isNew = isHeld && !holds(name);
        if (isHeld) heldAt.set(name, sentAt);
        else heldAt.delete(name);
        if (isNew) for (const begin of begins.get(name) ?? []) begin();
        return isHeld ? RENEW_EVERY_MS : Math.max(SHORTEST_PAUSE_MS, leftMs);
      });
      return Math.min(TTL_MS, ...pauses);
    },
    onWake(next) {
      wake = next;
    },
    async end() {
      if (heldAt.size === 0) return;
      const held = [...heldAt.keys()];
      heldAt.clear();
      await Promise.all(held.map((name) => dropLease(db, { name, holder })));
      onReleased?.();
    },
  };

  return {
    task,
    /** Asks for the leases, unless that was done just now: another process may have released one. */
    look(): void {
      if (elapsedMs(askedAt) >= RENEW_EVERY_MS) wake();
    },
    /** The same task, done only while this process holds the lease. */
    whileHeld(name: string, one: Task): Task {
      return {
        ...one,
        async round() {
          if (holds(name)) return one.round();
          one.onLost?.();
          return REST_MS;
        },
        onWake(next) {
          begins.get(name)?.push(next);
          one.onWake?.(next);
        },
      };
    },
  };
}
