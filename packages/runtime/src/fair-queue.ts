/** A queue in which owners take turns: one entry of each waiting owner, then the next entry of each. */
interface FairQueue<T> {
  readonly size: number;
  /** How many entries of this owner wait. */
  sizeOf(owner: string): number;
  push(owner: string, item: T): void;
  /** The next entry of an owner that is not paused, without removing it. */
  peek(): T | undefined;
  /** Removes and returns the entry that `peek` returns. */
  shift(): T | undefined;
  /** Removes an entry that is no longer needed. Returns whether it was in the queue. */
  remove(owner: string, item: T): boolean;
  /** Gives the owner no turn until it is resumed. Until then its entries cost the others nothing. */
  pause(owner: string): void;
  /** The next turn of the owner comes after one entry of each owner that waits now. */
  resume(owner: string): void;
  isPaused(owner: string): boolean;
}

export function createFairQueue<T>(): FairQueue<T> {
  // The order of the owners is the order of their turns. Every owner in the map has an entry and is not paused.
  const byOwner = new Map<string, T[]>();
  /** The entries of each owner that is paused. */
  const paused = new Map<string, T[]>();
  let size = 0;

  const entriesOf = (owner: string) => byOwner.get(owner) ?? paused.get(owner);

  return {
    get size() {
      return size;
    },
    sizeOf: (owner) => entriesOf(owner)?.length ?? 0,
    push(owner, item) {
      const own = entriesOf(owner);
      if (own) own.push(item);
      else byOwner.set(owner, [item]);
      size++;
    },
    peek() {
      for (const [first] of byOwner.values()) return first;
      return undefined;
    },
    shift() {
      for (const [owner, own] of byOwner) {
        byOwner.delete(owner);
        if (own.length > 1) byOwner.set(owner, own);
        size--;
        return own.shift();
      }
      return undefined;
    },
    remove(owner, item) {
      const own = entriesOf(owner);
      const place = own?.indexOf(item) ?? -1;
      if (!own || place < 0) return false;
      own.splice(place, 1);
      if (own.length === 0) byOwner.delete(owner);
      size--;
      return true;
    },
    pause(owner) {
      paused.set(owner, entriesOf(owner) ?? []);
      byOwner.delete(owner);
    },
    resume(owner) {
      const own = paused.get(owner);
      paused.delete(owner);
      if (own?.length) byOwner.set(owner, own);
    },
    isPaused: (owner) => paused.has(owner),
  };
}
