/** A bounded map of recent values, so that a busy caller does not need a query per request. */

export interface Recent<V> {
  get(key: string): V | undefined;
  /** `ageMs`: the age that the value already has. */
  set(key: string, value: V, ageMs?: number): void;
  delete(key: string): void;
}

interface RecentOptions {
  /** Older values are never returned. */
  ttlMs: number;
  /** Beyond this number the oldest entry is dropped, so that guessed credentials cannot fill the memory. */
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
      // Deleted first, so that the order of the map is the order of age.
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

interface Lookup<V> {
  get(key: string): Promise<V>;
  /** Whether `get` would answer without starting a load. */
  has(key: string): boolean;
  /** The next `get` loads again, even if a load is running now. */
  forget(key: string): void;
}

/**
 * Answers from memory what was loaded less than `ttlMs` ago, counted from the start of the load. Concurrent calls for
 * one key share one load; a failed load is not remembered. Found values are stored apart from running loads and missing
 * keys (null), so that any number of wrong keys cannot push out a right one.
 */
export function createLookup<V>(options: RecentOptions & { load(key: string): Promise<V> }): Lookup<V> {
  const found = createRecent<Promise<V>>(options);
  const others = createRecent<Promise<V>>(options);

  async function keep(key: string, loading: Promise<V>): Promise<void> {
    const startedAt = performance.now();
    // The callers of `get` handle the failure.
    const value = await loading.catch(() => undefined);
    // Forgotten or dropped meanwhile.
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
