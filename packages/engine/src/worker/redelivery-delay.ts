import type { JobKey } from '@jobline/contracts';

/** How long a job waits that came to a worker without its handler while another worker has it. */
export type RedeliveryDelay = (key: JobKey) => number;

/** Not 0: BullMQ lets the worker that gives an entry back take the next at once, and that would be the same one. */
const FIRST_DELAY_MS = 20;
const DELAY_MS = 1_000;
const MAX_REMEMBERED = 10_000;

/**
 * The first time so short that whoever is free takes it; if the job comes here again, the others seem to be busy, and
 * it waits about a second.
 */
export function createRedeliveryDelay(): RedeliveryDelay {
  const seen = new Set<JobKey>();
  return (key) => {
    const delayMs = seen.delete(key) ? DELAY_MS : FIRST_DELAY_MS;
    if (delayMs === FIRST_DELAY_MS) {
      // To forget is harmless: a job then comes back once more very soon.
      if (seen.size >= MAX_REMEMBERED) seen.clear();
      seen.add(key);
    }
    return Math.round(delayMs * (0.5 + Math.random()));
  };
}
