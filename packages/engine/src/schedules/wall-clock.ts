/**
 * The local time of a time zone. A local time is a number of ms, as if the local date and time were in UTC. Where daylight
 * saving skips local times, they all mean the first instant after the gap. Where it repeats local times, they mean the
 * first of the two instants.
 */
export interface WallClock {
  /** The first instant at which the clock has reached the local time. */
  instantOf(localMs: number): number;
  /** The latest local time, in whole seconds, that the clock has reached at the instant or before. */
  reachedAt(instantMs: number): number;
}

/** Longer than the difference between any two time zones, so that an offset from this long ago is from before a change. */
const DAY_MS = 25 * 3_600_000;
const SECOND_MS = 1_000;
/** Each uses some 10 KB. */
const MAX_REMEMBERED = 200;
/** The characters of IANA names. Some versions of JavaScript also accept offsets, such as +01:00, which are no zones. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const OFFSET = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

const clocks = new Map<string, WallClock | null>();

/** The clock of a time zone by its IANA name; null: there is no such zone. */
export function findWallClock(timezone: string): WallClock | null {
  if (!ZONE_NAME.test(timezone)) return null;
  const known = clocks.get(timezone);
  if (known !== undefined) return known;
  const clock = createWallClock(timezone);
  if (clocks.size >= MAX_REMEMBERED) clocks.clear();
  clocks.set(timezone, clock);
  return clock;
}

function createWallClock(timezone: string): WallClock | null {
  const format = openFormat(timezone);
  if (!format) return null;
  const offsetAt = (instantMs: number) => offsetMs(format, instantMs);
  return {
    instantOf(localMs) {
      const before = offsetAt(localMs - DAY_MS);
      if (offsetAt(localMs - before) === before) return localMs - before;
      const after = offsetAt(localMs + DAY_MS);
      if (offsetAt(localMs - after) === after) return localMs - after;
      return findChange(offsetAt, localMs - after, localMs - before);
    },
    reachedAt(instantMs) {
      const atMs = Math.floor(instantMs / SECOND_MS) * SECOND_MS;
      const [before, now] = [offsetAt(atMs - DAY_MS), offsetAt(atMs)];
      if (before <= now) return atMs + now;
      // The clock was set back: until it has passed the repeated times, it has been further already.
      const lastBefore = findChange(offsetAt, atMs - DAY_MS, atMs) - SECOND_MS;
      return Math.max(atMs + now, lastBefore + before);
    },
  };
}

/** The first whole second with another offset than `fromMs`. There is one change between `fromMs` and `toMs`. */
function findChange(offsetAt: (instantMs: number) => number, fromMs: number, toMs: number): number {
  const before = offsetAt(fromMs);
  let [low, high] = [fromMs, toMs];
  while (high - low > SECOND_MS) {
    const middle = low + Math.floor((high - low) / 2 / SECOND_MS) * SECOND_MS;
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

function openFormat(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch (error) {
    if (error instanceof RangeError) return null; // no such zone
    throw error;
  }
}

function offsetMs(format: Intl.DateTimeFormat, instantMs: number): number {
  const text = format.formatToParts(instantMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const match = OFFSET.exec(text);
  if (!match) throw new Error(`an unknown form of an offset: ${text}`);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * SECOND_MS;
}
