import type { JobKey } from '@jobline/contracts';

/**
 * Returns how long to delay an entry that reached a worker without its handler, while another worker has the handler.
 */
export type RedeliveryDelay = (key: JobKey) => number;

/**
 * Not 0, because BullMQ delivers the next entry to the worker that has just returned one, and that would be the same
 * entry.
 */
const FIRST_DELAY_MS = 20;
const DELAY_MS = 1_000;
const MAX_REMEMBERED = 10_000;

/**
 * The first delay is so short that any free worker takes the entry. If it reaches this worker again, the others seem
 * to be busy, and it waits about a second.
 */
export function createRedeliveryDelay(): RedeliveryDelay {
  const seen = new Set<JobKey>();
  return (key) => {
    const delayMs = seen.delete(key) ? DELAY_MS : FIRST_DELAY_MS;
    if (delayMs === FIRST_DELAY_MS) {
      // Forgetting is safe: an entry then returns very soon once more.
      if (seen.size >= MAX_REMEMBERED) seen.clear();
      seen.add(key);
    }
    return Math.round(delayMs * (0.5 + Math.random()));
  };
}
