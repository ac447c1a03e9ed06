/** What was found out a moment ago, so that a busy caller does not cost a query per request. */

export interface Recent<V> {
  get(key: string): V | undefined;
  /** `ageMs`: how old it is already. */
  set(key: string, value: V, ageMs?: number): void;
  delete(key: string): void;
}

export interface RecentOptions {
  /** Nothing older is ever given out. */
  ttlMs: number;
  /** Beyond it the oldest entry makes room, so that guessed credentials cannot fill the memory. */
  maxEntries: number;
}

export function createRecent<V>({ ttlMs, maxEntries }: RecentOptions): Recent<V> {
  const entries = new Map<string, { value: V; until: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      return entry && performance.now() < entry.until ? entry.value : undefined;
    },
    set(key, value, ageMs = 0) {
      // Deleted first, so that the map's order is the order of age.
      entries.delete(key);
      if (entries.size >= maxEntries) {
        const oldest = entries.keys().next();
        if (!oldest.done) entries.delete(oldest.value);
      }
      entries.set(key, { value, until: performance.now() + ttlMs - ageMs });
    },
    delete(key) {
      entries.delete(key);
    },
  };
}

export interface Lookup<V> {
  get(key: string): Promise<V>;
  /** Whether `get` would answer without a load of its own. */
  has(key: string): boolean;
  /** The next `get` asks again, even if an answer is on its way now. */
  forget(key: string): void;
}

/**
 * Answers from memory what was loaded less than `ttlMs` ago, counted from the load's start. Concurrent calls for one
 * key share one load; a load that fails is not remembered. What was found is remembered apart from what is being looked
 * up and what does not exist (null), so that however many wrong keys are asked for, they push out none that is right.
 */
export function createLookup<V>(options: RecentOptions & { load(key: string): Promise<V> }): Lookup<V> {
  const found = createRecent<Promise<V>>(options);
  const others = createRecent<Promise<V>>(options);

  async function keep(key: string, loading: Promise<V>): Promise<void> {
    const startedAt = performance.now();
    // Whoever called is told of a failure.
    const value = await loading.catch(() => undefined);
    // Forgotten meanwhile, or pushed out.
    if (others.get(key) !== loading || value === null) return;
    others.delete(key);
    if (value !== undefined) found.set(key, loading, performance.now() - startedAt);
  }

  return {
    get(key) {
      const known = found.get(key) ?? others.get(key);
      if (known) return known;
      const loading = options.load(key);
      others.set(key, loading);
      void keep(key, loading);
      return loading;
    },
    has: (key) => (found.get(key) ?? others.get(key)) !== undefined,
    forget(key) {
      found.delete(key);
      others.delete(key);
    },
  };
}
