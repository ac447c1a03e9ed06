import { createSlots } from './limit-concurrency.js';

/** Begins a work of a key when it is its turn. What its signal reaches while it waits is never begun. */
export type InSlotOf = <T>(key: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

export interface SlotsPerKey {
  atOnce: number;
  /** So many more wait in line. */
  waiting: number;
  /** What another one is refused with. */
  full: () => Error;
}

/** The same number of slots for each key. Keys do not wait for each other, and none is remembered longer than its works. */
export function createSlotsPerKey({ atOnce, waiting, full }: SlotsPerKey): InSlotOf {
  const lines = new Map<string, { inSlot: ReturnType<typeof createSlots>; count: number }>();
  return async (key, signal, work) => {
    const line = lines.get(key) ?? { inSlot: createSlots(atOnce), count: 0 };
    if (line.count >= atOnce + waiting) throw full();
    lines.set(key, line);
    line.count++;
    try {
      return await line.inSlot(signal, work);
    } finally {
      line.count--;
      if (line.count === 0) lines.delete(key);
    }
  };
}
