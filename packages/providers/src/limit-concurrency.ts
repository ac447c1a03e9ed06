import { rejectOnAbort } from './reject-on-abort.js';

/** Runs a task when a slot is free. A task whose signal is aborted while it waits never starts. */
export type ConcurrencyLimit = <T>(signal: AbortSignal, task: () => Promise<T>) => Promise<T>;

/** Runs at most `maxRunning` tasks at a time. The others wait in the order in which they came. */
export function limitConcurrency(maxRunning: number): ConcurrencyLimit {
  let freeSlots = maxRunning;
  const queue: (() => void)[] = [];

  async function acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (freeSlots > 0) {
      freeSlots--;
      return;
    }
    let start: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      start = resolve;
      queue.push(start);
    });
    try {
      await rejectOnAbort(signal, started);
    } catch (error) {
      const index = queue.indexOf(start);
      // The slot was assigned at the moment of the abort: the next task gets it.
      if (index < 0) release();
      else queue.splice(index, 1);
      throw error;
    }
  }

  function release(): void {
    const startNext = queue.shift();
    if (startNext) startNext();
    else freeSlots++;
  }

  return async (signal, task) => {
    await acquire(signal);
    try {
      return await task();
    } finally {
      release();
    }
  };
}

export interface KeyedLimitOptions {
  maxRunning: number;
  maxWaiting: number;
  /** Creates the error that a task is rejected with when too many of its key wait. */
  queueFull: () => Error;
}

/** Runs the tasks of one key within that key's limit. A task whose signal is aborted while it waits never starts. */
export type KeyedConcurrencyLimit = <T>(key: string, signal: AbortSignal, task: () => Promise<T>) => Promise<T>;

/** The same limit for each key. Keys do not wait for each other, and a key is forgotten when its last task ends. */
export function limitConcurrencyPerKey({
  maxRunning,
  maxWaiting,
  queueFull,
}: KeyedLimitOptions): KeyedConcurrencyLimit {
  const keys = new Map<string, { run: ConcurrencyLimit; count: number }>();
  return async (key, signal, task) => {
    const entry = keys.get(key) ?? { run: limitConcurrency(maxRunning), count: 0 };
    if (entry.count >= maxRunning + maxWaiting) throw queueFull();
    keys.set(key, entry);
    entry.count++;
    try {
      return await entry.run(signal, task);
    } finally {
      entry.count--;
      if (entry.count === 0) keys.delete(key);
    }
  };
}
