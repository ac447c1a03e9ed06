/** What was found out a moment ago, so that a busy caller does not cost a query per request. */

export interface Recent<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
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
    set(key, value) {
      // Deleted first, so that the map's order is the order of age.
      entries.delete(key);
      if (entries.size >= maxEntries) {
        const oldest = entries.keys().next();
        if (!oldest.done) entries.delete(oldest.value);
      }
      entries.set(key, { value, until: performance.now() + ttlMs });
    },
    delete(key) {
      entries.delete(key);
    },
  };
}

export interface Lookup<V> {
  get(key: string): Promise<V>;
  /** The next `get` asks again, even if an answer is on its way now. */
  forget(key: string): void;
}

/**
 * Answers from memory what was loaded less than `ttlMs` ago, counted from the load's start. Concurrent calls for one
 * key share one load; a load that fails is not remembered.
 */
export function createLookup<V>(options: RecentOptions & { load(key: string): Promise<V> }): Lookup<V> {
  const recent = createRecent<Promise<V>>(options);
  return {
    get(key) {
      const known = recent.get(key);
      if (known) return known;
      const loading = options.load(key);
      recent.set(key, loading);
      loading.catch(() => {
        if (recent.get(key) === loading) recent.delete(key);
      });
      return loading;
    },
    forget: recent.delete,
  };
}
