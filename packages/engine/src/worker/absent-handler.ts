import { TYPE_SEEN_EVERY_MS } from '@jobline/db';

const SHORTEST_MS = 1_000;
const LONGEST_MS = 30_000;
/** A handler that has been away for ten minutes is hardly back within the next second. */
const PART_OF_ABSENCE = 0.1;
const JITTER = 0.25;

/**
 * How long a job waits whose type no live worker has. Null: it waits no longer, because no worker ever had the type, or none
 * within `noHandlerAfterMs`. `unseenMs` is how long ago one had it (null: never), and may be too long by how rarely that is
 * noted. `random` in [0, 1) keeps a type's jobs from coming back all at once. Pure.
 */
export function decideAbsent(unseenMs: number | null, noHandlerAfterMs: number, random: number): number | null {
  if (unseenMs === null || unseenMs > noHandlerAfterMs + TYPE_SEEN_EVERY_MS) return null;
  const delayMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, unseenMs * PART_OF_ABSENCE));
  return Math.round(delayMs * (1 - JITTER * random));
}
