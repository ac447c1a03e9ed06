/** Whoever asks for what is on its way already gets the same. */
export type Shared<T> = (key: string, load: () => Promise<T>) => Promise<T>;

export function createShared<T>(): Shared<T> {
  const underWay = new Map<string, Promise<T>>();
  return (key, load) => {
    const known = underWay.get(key);
    if (known) return known;
    const loading = load().finally(() => underWay.delete(key));
    underWay.set(key, loading);
    return loading;
  };
}
