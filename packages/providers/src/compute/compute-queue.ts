import { notNow } from './compute-errors.js';

/** What waits for a process. */
export interface Waiting {
  /** Whose it is: those who wait take turns. */
  readonly key: string;
  readonly sizeBytes: number;
}

export interface QueueLimits {
  perKey: number;
  /** While the key is paused. */
  perPausedKey: number;
  total: number;
  /** Of all that wait, together. */
  totalBytes: number;
}

/** A bounded queue in which keys take turns: a key that wants much is waited for by nobody else. */
export interface ComputeQueue<E extends Waiting> {
  /** Throws RetryLater when too many wait, or too many of this key. */
  add(entry: E): void;
  /** The next entry whose key is not paused, and takes it out. */
  take(): E | undefined;
  /** Takes an entry out, if it still waits. */
  remove(entry: E): void;
  /** Takes all entries out. */
  clear(): E[];
  /** For so long no entry of the key is taken. */
  pause(key: string, ms: number): void;
  /** How long until the first of the keys that wait is no longer paused; null: none of them is paused. */
  pausedForMs(): number | null;
}

export function createComputeQueue<E extends Waiting>(
  limits: QueueLimits,
  nowMs: () => number = () => performance.now(),
): ComputeQueue<E> {
  /** By key, in the order of their turns. */
  const waiting = new Map<string, E[]>();
  /** Key → the end of its pause. Those that have ended are deleted when they are looked at. */
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
        throw notNow('too many tasks of the organization wait already');
      }
      if (count >= limits.total || (count > 0 && bytes + sizeBytes > limits.totalBytes)) {
        throw notNow('too many tasks wait already');
      }
      waiting.set(key, [...own, entry]);
      count++;
      bytes += sizeBytes;
    },
    take() {
      for (const [key, [first, ...others]] of waiting) {
        if (pauseLeftMs(key) > 0 || !first) continue;
        // A key that has more goes to the end.
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
      // Set, not deleted first: its turn stays where it was.
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
