import { notNow } from './compute-errors.js';

/** A task that waits for a process. */
export interface Waiting {
  /** The owner of the task. Keys take turns. */
  readonly key: string;
  readonly sizeBytes: number;
}

export interface QueueLimits {
  perKey: number;
  /** The limit while the key is paused. */
  perPausedKey: number;
  total: number;
  /** The total size of all waiting tasks. */
  totalBytes: number;
}

/** A bounded queue in which keys take turns, so a key with many tasks does not delay other keys. */
export interface ComputeQueue<E extends Waiting> {
  /** Adds an entry. Throws RetryLater if too many entries wait, in total or of this key. */
  add(entry: E): void;
  /** Removes and returns the next entry whose key is not paused. */
  take(): E | undefined;
  /** Removes an entry if it is still waiting. */
  remove(entry: E): void;
  /** Removes and returns all entries. */
  clear(): E[];
  /** Takes no entries of the key for this long. */
  pause(key: string, ms: number): void;
  /** How long until the first paused key that has waiting entries can run again; null if there is none. */
  pausedForMs(): number | null;
}

export function createComputeQueue<E extends Waiting>(
  limits: QueueLimits,
  nowMs: () => number = () => performance.now(),
): ComputeQueue<E> {
  /** Entries by key, in the order of the turns. */
  const waiting = new Map<string, E[]>();
  /** Key → the end of its pause. Expired pauses are deleted when they are read. */
  const pauses = new Map<string, number>();
  let count = 0;
  let bytes = 0;

  function pauseLeftMs(key: string): number {
    const leftMs = (pauses.get(key) ?? 0) - nowMs();
    if (leftMs > 0) return leftMs;
    pauses.delete(key);
    return 0;
  }

  function forget(entry: E): void {
    count--;
    bytes -= entry.sizeBytes;
  }

  return {
    add(entry) {
      const { key, sizeBytes } = entry;
      const own = waiting.get(key) ?? [];
      if (own.length >= (pauseLeftMs(key) > 0 ? limits.perPausedKey : limits.perKey)) {
        throw notNow('too many tasks of the organization are waiting');
      }
      if (count >= limits.total || (count > 0 && bytes + sizeBytes > limits.totalBytes)) {
        throw notNow('too many tasks are waiting');
      }
      waiting.set(key, [...own, entry]);
      count++;
      bytes += sizeBytes;
    },
    take() {
      for (const [key, [first, ...others]] of waiting) {
        if (pauseLeftMs(key) > 0 || !first) continue;
        // A key with more entries goes to the end.
        waiting.delete(key);
        if (others.length > 0) waiting.set(key, others);
        forget(first);
        return first;
      }
      return undefined;
    },
    remove(entry) {
      const own = waiting.get(entry.key);
      if (!own?.includes(entry)) return;
      const others = own.filter((other) => other !== entry);
      // Replaced without deleting it first, so the key keeps its turn.
      if (others.length > 0) waiting.set(entry.key, others);
      else waiting.delete(entry.key);
      forget(entry);
    },
    clear() {
      const entries = [...waiting.values()].flat();
      waiting.clear();
      entries.forEach(forget);
      return entries;
    },
    pause(key, ms) {
      for (const paused of [...pauses.keys()]) pauseLeftMs(paused);
      if (ms > 0) pauses.set(key, nowMs() + ms);
    },
    pausedForMs() {
      const lefts = [...waiting.keys()].map(pauseLeftMs).filter((leftMs) => leftMs > 0);
      return lefts.length > 0 ? Math.min(...lefts) : null;
    },
  };
}
