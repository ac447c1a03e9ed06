import { type ConcurrencyLimiter, limitConcurrency } from '@jobline/runtime';

export interface KeyedLimitOptions {
  maxRunning: number;
  maxWaiting: number;
  /** Creates the error that a task is rejected with when too many of its key wait. */
  queueFull: () => Error;
}

/** Runs the tasks of one key within that key's limit. A task whose signal is aborted while it waits never starts. */
export type KeyedConcurrencyLimit = <T>(key: string, signal: AbortSignal, task: () => Promise<T>) => Promise<T>;

/** Limits the tasks of each key. Keys do not wait for each other, and a key is forgotten when its last task ends. */
export function limitConcurrencyPerKey({
  maxRunning,
  maxWaiting,
  queueFull,
}: KeyedLimitOptions): KeyedConcurrencyLimit {
  const keys = new Map<string, { run: ConcurrencyLimiter; count: number }>();
  return async (key, signal, task) => {
    const entry = keys.get(key) ?? { run: limitConcurrency(maxRunning), count: 0 };
    if (entry.count >= maxRunning + maxWaiting) throw queueFull();
    keys.set(key, entry);
    entry.count++;
    try {
      return await entry.run(task, signal);
    } finally {
      entry.count--;
      if (entry.count === 0) keys.delete(key);
    }
  };
}
