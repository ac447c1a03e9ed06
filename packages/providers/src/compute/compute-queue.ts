import { createFairQueue } from '@jobline/runtime';
import { notNow } from './compute-child.js';

/** A task that waits for a process. */
export interface Waiting {
  /** Owners take turns. */
  readonly owner: string;
  readonly sizeBytes: number;
}

export interface QueueLimits {
  perOwner: number;
  /** The limit while the owner is paused. */
  perPausedOwner: number;
  total: number;
  /** The total size of all waiting tasks. */
  totalBytes: number;
}

/** A bounded queue in which owners take turns, so an owner with many tasks does not delay other owners. */
export interface ComputeQueue<E extends Waiting> {
  /** Adds an entry. Throws RetryLater if too many entries wait, in total or of this owner. */
  add(entry: E): void;
  /** Removes and returns the next entry whose owner is not paused. */
  take(): E | undefined;
  /** Removes an entry if it is still waiting. */
  remove(entry: E): void;
  /** Takes no entries of the owner until it is resumed. */
  pause(owner: string): void;
  resume(owner: string): void;
}

export function createComputeQueue<E extends Waiting>(limits: QueueLimits): ComputeQueue<E> {
  const waiting = createFairQueue<E>();
  let bytes = 0;

  return {
    add(entry) {
      const { owner, sizeBytes } = entry;
      if (waiting.sizeOf(owner) >= (waiting.isPaused(owner) ? limits.perPausedOwner : limits.perOwner)) {
        throw notNow('too many tasks of the organization are waiting');
      }
      if (waiting.size >= limits.total || (waiting.size > 0 && bytes + sizeBytes > limits.totalBytes)) {
        throw notNow('too many tasks are waiting');
      }
      waiting.push(owner, entry);
      bytes += sizeBytes;
    },
    take() {
      const entry = waiting.shift();
      bytes -= entry?.sizeBytes ?? 0;
      return entry;
    },
    remove(entry) {
      if (waiting.remove(entry.owner, entry)) bytes -= entry.sizeBytes;
    },
    pause: waiting.pause,
    resume: waiting.resume,
  };
}
