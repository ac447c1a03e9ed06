/** A queue in which owners take turns: one entry of each waiting owner, then the next entry of each. */
interface FairQueue<T> {
  readonly size: number;
  /** How many entries of this owner wait. */
  sizeOf(owner: string): number;
  push(owner: string, item: T): void;
  /** The next entry, without removing it. An owner whose first entry may not have its turn keeps the turn. */
  peek(mayHaveTurn?: (first: T) => boolean): T | undefined;
  /** Removes and returns the entry that `peek` returns. */
  shift(mayHaveTurn?: (first: T) => boolean): T | undefined;
  /** Removes an entry that is no longer needed. Returns whether it was in the queue. */
  remove(owner: string, item: T): boolean;
}

const always = () => true;

export function createFairQueue<T>(): FairQueue<T> {
  // The order of the owners is the order of their turns. Every owner in the map has an entry.
  const byOwner = new Map<string, T[]>();
  let size = 0;

  return {
    get size() {
      return size;
    },
    sizeOf: (owner) => byOwner.get(owner)?.length ?? 0,
    push(owner, item) {
      const own = byOwner.get(owner);
      if (own) own.push(item);
      else byOwner.set(owner, [item]);
      size++;
    },
    peek(mayHaveTurn = always) {
      for (const [first] of byOwner.values()) if (first !== undefined && mayHaveTurn(first)) return first;
      return undefined;
    },
    shift(mayHaveTurn = always) {
      for (const [owner, own] of byOwner) {
        const first = own[0];
        if (first === undefined || !mayHaveTurn(first)) continue;
        own.shift();
        byOwner.delete(owner);
        if (own.length > 0) byOwner.set(owner, own);
        size--;
        return first;
      }
      return undefined;
    },
    remove(owner, item) {
      const own = byOwner.get(owner);
      const place = own?.indexOf(item) ?? -1;
      if (!own || place < 0) return false;
      own.splice(place, 1);
      if (own.length === 0) byOwner.delete(owner);
      size--;
      return true;
    },
  };
}
