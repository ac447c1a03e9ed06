/**
 * Wraps a load so that concurrent calls for one key share one load and its outcome. A load without a key has a single
 * flight. Nothing is remembered after the load has ended.
 */
export function singleFlight<T, Key = void>(load: (key: Key) => Promise<T>): (key: Key) => Promise<T> {
  const inFlight = new Map<Key, Promise<T>>();
  return (key) => {
    const shared = inFlight.get(key);
    if (shared) return shared;
    const loading = load(key).finally(() => inFlight.delete(key));
    inFlight.set(key, loading);
    return loading;
  };
}
