import { LIMITS, type ScheduleMissed } from '@jobline/contracts';
import { openCron } from './cron.js';
import { findWallClock } from './wall-clock.js';

/** When a schedule runs. Exactly one of `cron` and `everySeconds` is set; both are valid. */
export interface Timing {
  cron: string | null;
  everySeconds: number | null;
  /** The time zone of `cron`. */
  timezone: string;
  /** `everySeconds` counts from this time. */
  anchorAt: Date;
}

/** The planned times of a schedule, in ms since 1970. */
export interface PlannedTimes {
  /** The first time after this one; null: there is none. */
  next(afterMs: number): number | null;
  /** The last time before this one; null: there is none. */
  previous(beforeMs: number): number | null;
}

/** Throws if the time zone is unknown here: the versions of Node of two processes may know different zones. */
export function plannedTimes({ cron, everySeconds, timezone, anchorAt }: Timing): PlannedTimes {
  if (everySeconds !== null) return periodicTimes(everySeconds * 1_000, anchorAt.getTime());
  if (cron === null) throw new Error('a schedule without a timing');
  return localTimes(cron, timezone);
}

function periodicTimes(periodMs: number, anchorMs: number): PlannedTimes {
  return {
    next: (afterMs) => anchorMs + Math.max(1, Math.floor((afterMs - anchorMs) / periodMs) + 1) * periodMs,
    previous(beforeMs) {
      const count = Math.ceil((beforeMs - anchorMs) / periodMs) - 1;
      return count < 1 ? null : anchorMs + count * periodMs;
    },
  };
}

/** The library only knows local times. So each instant is that of the wall clock, also where daylight saving begins or ends. */
function localTimes(expression: string, timezone: string): PlannedTimes {
  const cron = openCron(expression);
  const clock = findWallClock(timezone);
  if (!clock) throw new Error(`this process does not know the time zone ${timezone}`);
  const instantOf = (localMs: number | null) => (localMs === null ? null : clock.instantOf(localMs));
  return {
    next: (afterMs) => instantOf(cron.next(clock.reachedAt(afterMs))),
    // The clock has reached these local times before the instant, so their own instants are before it too.
    previous: (beforeMs) => instantOf(cron.previous(clock.reachedAt(beforeMs - 1) + 1_000)),
  };
}

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
