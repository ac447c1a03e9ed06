import { createFairQueue } from '@jobline/runtime';
import { notNow } from './compute-child.js';

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
  /** Takes no entries of the key until it is resumed. */
  pause(key: string): void;
  resume(key: string): void;
}

export function createComputeQueue<E extends Waiting>(limits: QueueLimits): ComputeQueue<E> {
  const waiting = createFairQueue<E>();
  const paused = new Set<string>();
  let bytes = 0;

  return {
    add(entry) {
      const { key, sizeBytes } = entry;
      if (waiting.sizeOf(key) >= (paused.has(key) ? limits.perPausedKey : limits.perKey)) {
        throw notNow('too many tasks of the organization are waiting');
      }
      if (waiting.size >= limits.total || (waiting.size > 0 && bytes + sizeBytes > limits.totalBytes)) {
        throw notNow('too many tasks are waiting');
      }
      waiting.push(key, entry);
      bytes += sizeBytes;
    },
    take() {
      const entry = waiting.shift(({ key }) => !paused.has(key));
      bytes -= entry?.sizeBytes ?? 0;
      return entry;
    },
    remove(entry) {
      if (waiting.remove(entry.key, entry)) bytes -= entry.sizeBytes;
    },
    pause: (key) => void paused.add(key),
    resume: (key) => void paused.delete(key),
  };
}
