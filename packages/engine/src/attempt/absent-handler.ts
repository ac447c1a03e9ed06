import { TYPE_SEEN_EVERY_MS } from '@jobline/db';

const SHORTEST_MS = 1_000;
const LONGEST_MS = 30_000;
/**
 * The wait as a share of the absence: a handler that has been absent for ten minutes is unlikely to return within the
 * next second.
 */
const PART_OF_ABSENCE = 0.1;
const JITTER = 0.25;

/**
 * Decides how long a job waits whose type no live worker handles. Returns null if it waits no longer, because no
 * worker ever had the type, or none within `noHandlerAfterMs`. `unseenMs` is the time since a worker last had the type
 * (null: never); it may be too long by the interval at which that is recorded. `random` in [0, 1) spreads the jobs of
 * a type over time. Pure.
 */
export function decideAbsent(unseenMs: number | null, noHandlerAfterMs: number, random: number): number | null {
  if (unseenMs === null || unseenMs > noHandlerAfterMs + TYPE_SEEN_EVERY_MS) return null;
  const delayMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, unseenMs * PART_OF_ABSENCE));
  return Math.round(delayMs * (1 - JITTER * random));
}
