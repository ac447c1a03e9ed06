import { LIMITS, type ScheduleMissed } from '@jobline/contracts';
import type { PlannedTimes } from './timing.js';

/** The times of a schedule that must be made now. */
export interface DueTimes {
  /** The oldest first. */
  times: number[];
  /** Whether missed times get no job of their own. */
  isShortened: boolean;
}

/**
 * Decides for which planned times from `nextMs` to `nowMs` jobs are made. `nextMs` itself is such a time. Reads at most as
 * many times as it returns, and one more, however long ago `nextMs` is.
 */
export function decideDueTimes(
  planned: PlannedTimes,
  { nextMs, nowMs, missed }: { nextMs: number; nowMs: number; missed: ScheduleMissed },
): DueTimes {
  const most = { run_once: 1, run_all: LIMITS.schedules.missedRuns, skip: 0 }[missed];
  const times: number[] = [];
  let missedTimes = 0;
  for (const at of timesBackwards(planned, nextMs, nowMs)) {
    if (nowMs - at > LIMITS.schedules.missedAfterMs && ++missedTimes > most) break;
    times.push(at);
  }
  return { times: times.reverse(), isShortened: missedTimes > most };
}

function* timesBackwards(planned: PlannedTimes, nextMs: number, nowMs: number): Generator<number> {
  for (let at = planned.previous(nowMs + 1); at !== null && at > nextMs; at = planned.previous(at)) yield at;
  yield nextMs;
}
