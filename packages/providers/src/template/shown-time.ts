/** A date or a time, as its text shows it. */
export interface ShownTime {
  /** The date and the clock of the text, as if they were in UTC. */
  shownMs: number;
  /** In minutes east of UTC. Null if the text has no clock or no offset. */
  offsetMinutes: number | null;
}

const MAX_LENGTH = 100;
const MINUTE_MS = 60_000;
/** ISO 8601. The name of a zone in brackets may follow, as Java and JavaScript's Temporal write it. */
const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,]\d{1,9})? ?(Z|[+-]\d\d(?::?\d\d)?)?|Z|[+-]\d\d:\d\d)?(?:\[[^[\]]*\])?$/i;
/** A clock at the end of another form, such as those of emails and of JavaScript. A comment may follow. */
const CLOCK = /^(.*\d:\d\d(?: ?[AP]M)?)(?: ?((?:(?:GMT|UTC|Z) ?)?[+-]\d\d:?\d\d|GMT|UTC|Z))?(?: \([^()]*\))?$/i;

/** Reads a date with or without a time. Null if the text is neither. */
export function readTime(text: string): ShownTime | null {
  const trimmed = text.length > MAX_LENGTH ? '' : text.trim().replaceAll(/\s+/g, ' ');
  const [, day, clock, seconds = ':00', offset = ''] = ISO.exec(trimmed) ?? [];
  if (day !== undefined) {
    const shownMs = Date.parse(`${day}T${clock ?? '00:00'}${seconds}Z`);
    // Date.parse reads the 30th of February as a day in March.
    const isDay = !Number.isNaN(shownMs) && new Date(shownMs).toISOString().startsWith(day);
    return isDay ? { shownMs, offsetMinutes: offsetOf(offset) } : null;
  }
  const [, shown = trimmed, zone = ''] = CLOCK.exec(trimmed) ?? [];
  const shownMs = /\d/.test(shown) && !/^\d+$/.test(shown) ? Date.parse(`${shown} UTC`) : Number.NaN;
  return Number.isNaN(shownMs) ? null : { shownMs, offsetMinutes: offsetOf(zone) };
}

/**
 * The day of a date as a document prints it, such as `31 March 2026`: the day that the text shows, or the day in a time
 * zone if the text has an offset. Any other value is unchanged: a number is no date, and of `03/04/2026` the order of day and
 * month is unknown.
 */
export function dayText(value: unknown, timezone: string | undefined): unknown {
  if (value === 'now' || value === 'today') return formatDay(Date.now(), timezone ?? 'UTC');
  const time = typeof value === 'string' ? readTime(value) : null;
  if (!time || !hasOneOrder(String(value))) return value;
  const { shownMs, offsetMinutes } = time;
  if (offsetMinutes === null || timezone === undefined) return formatDay(shownMs, 'UTC');
  return formatDay(shownMs - offsetMinutes * MINUTE_MS, timezone);
}

/** The instant of a time, and the offset or zone in which it is shown. */
export function placeOf({ shownMs, offsetMinutes }: ShownTime, timezone: string | undefined): [Date, string | number] {
  if (offsetMinutes === null) return [new Date(shownMs), 0];
  // Offsets of JavaScript and Liquid are minutes west of UTC.
  return [new Date(shownMs - offsetMinutes * MINUTE_MS), timezone ?? -offsetMinutes];
}

/** Whether a date begins with the year, or has the name of a month, a day and a year. */
function hasOneOrder(text: string): boolean {
  const numbers = text.match(/\d+/g) ?? [];
  const isYear = (number: string) => number.length === 4;
  const [first = '', second = ''] = numbers;
  if (isYear(first)) return numbers.length > 2;
  return isYear(second) && first.length < 3 && /\p{L}{3}/u.test(text);
}

function offsetOf(zone: string): number | null {
  if (zone === '') return null;
  const [, sign, hours = '', minutes = '0'] = /([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function formatDay(instantMs: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone }).format(
    instantMs,
  );
}
