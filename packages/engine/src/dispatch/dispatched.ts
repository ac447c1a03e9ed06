import type { JobKey } from '@jobline/contracts';
import type { Enqueueable } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import type { Producer } from '../queue/producer.js';

/** Returns how many entries of a type a queue may have: infinite if all of its workers have the handler. */
export type TypeLimit = (type: string) => number;

/**
 * Remembers the entries that the dispatcher has added to a queue and that may still be in Redis, unclaimed: their rows
 * must not be listed again. If this state is lost, because another worker continues or because Redis loses its data,
 * entries are added again under the same numbers, which has no effect on entries that exist.
 */
export interface DispatchedEntries {
  /** Forgets entries that have left the queue, which contains at most `count` low-priority entries. */
  check(count: number, limitOf: TypeLimit): Promise<void>;
  keys(): JobKey[];
  /** Types that have reached their limit. */
  fullTypes(limitOf: TypeLimit): string[];
  /** Returns the entries that do not exceed the limits of their types. */
  within<E extends TypedEntry>(entries: readonly E[], limitOf: TypeLimit): E[];
  remember(entries: readonly TypedEntry[]): void;
}

export interface TypedEntry extends Enqueueable {
  type: string;
}

/**
 * An entry is assumed to be in Redis for this time, then Redis is asked. So a lost entry is dispatched again after
 * this time.
 */
const SURE_FOR_MS = 5_000;
/** The same for types with a limit: each entry that leaves makes capacity for the next. */
const SURE_FOR_LIMITED_MS = 100;

export function createDispatchedEntries(producer: Pick<Producer, 'present'>): DispatchedEntries {
  let dispatched: { entry: TypedEntry; sureAt: number }[] = [];

  function countTypes(limitOf: TypeLimit): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { entry } of dispatched) {
      if (limitOf(entry.type) < Number.POSITIVE_INFINITY) counts.set(entry.type, (counts.get(entry.type) ?? 0) + 1);
    }
    return counts;
  }

  return {
    async check(count, limitOf) {
      // Entries leave roughly in the order of their adds, except those that workers without a handler delay.
      const isLimited = (type: string) => limitOf(type) < Number.POSITIVE_INFINITY;
      const limited = dispatched.filter(({ entry }) => isLimited(entry.type));
      dispatched = [
        ...limited,
        ...newest(
          dispatched.filter(({ entry }) => !isLimited(entry.type)),
          count,
        ),
      ];

      const doubtful = dispatched.filter(
        ({ entry, sureAt }) => elapsedMs(sureAt) >= (isLimited(entry.type) ? SURE_FOR_LIMITED_MS : SURE_FOR_MS),
      );
      if (doubtful.length === 0) return;
      const present = await producer.present(doubtful.map(({ entry }) => entry));
      if (!present) return;
      const gone = new Set(doubtful.filter((_, i) => !present[i]));
      for (const one of doubtful) one.sureAt = performance.now();
      dispatched = dispatched.filter((one) => !gone.has(one));
    },
    keys: () => dispatched.map(({ entry }) => entry.key),
    fullTypes: (limitOf) => [...countTypes(limitOf)].filter(([type, n]) => n >= limitOf(type)).map(([type]) => type),
    within(entries, limitOf) {
      const counts = countTypes(limitOf);
      return entries.filter(({ type }) => {
        const count = (counts.get(type) ?? 0) + 1;
        counts.set(type, count);
        return count <= limitOf(type);
      });
    },
    remember(entries) {
      const sureAt = performance.now();
      dispatched.push(...entries.map((entry) => ({ entry, sureAt })));
    },
  };
}

function newest<T>(items: readonly T[], count: number): T[] {
  return count > 0 ? items.slice(-count) : [];
}
