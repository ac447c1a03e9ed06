import type { JobKey } from '@jobline/contracts';

/**
 * Returns how long to delay an entry that reached a worker without its handler, while another worker has the handler.
 * 0: another worker should take it now.
 */
export type RedeliveryDelay = (key: JobKey) => number;

const DELAY_MS = 1_000;
const MAX_REMEMBERED = 10_000;

/**
 * The first time, another free worker takes the entry at once. If it reaches this worker again, the others seem to be
 * busy, and it waits about a second.
 */
export function createRedeliveryDelay(): RedeliveryDelay {
  const seen = new Set<JobKey>();
  return (key) => {
    if (seen.delete(key)) return Math.round(DELAY_MS * (0.5 + Math.random()));
    // Forgetting is safe: an entry then returns at once once more.
    if (seen.size >= MAX_REMEMBERED) seen.clear();
    seen.add(key);
    return 0;
  };
}
