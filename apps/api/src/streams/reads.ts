/** Does the work when less than so many others are being done, in the order of asking. */
export type AtMost = <T>(work: () => Promise<T>) => Promise<T>;

export function createAtMost(count: number): AtMost {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < count) running++;
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await work();
    } finally {
      // The place goes to the next in line, or is given up.
      const start = waiting.shift();
      if (start) start();
      else running--;
    }
  };
}

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
