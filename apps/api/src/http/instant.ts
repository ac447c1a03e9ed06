const SHAPE = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):(\d\d))$/;
/** The last moment of the year 9999. From the Unix epoch to it, Date, Postgres and ISO 8601 use the same notation. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const MINUTE_MS = 60_000;

/**
 * Parses a point in time in ISO 8601; null if the text is invalid. Stricter than Date.parse: date, time and time zone are
 * required, and days and hours must exist. Digits after the millisecond are ignored.
 */
export function parseInstant(text: string): Date | null {
  const [, date, time, seconds = '00', fraction = '', sign, zoneHours = '00', zoneMinutes = '00'] =
    SHAPE.exec(text) ?? [];
  if (date === undefined || time === undefined) return null;
  const utc = `${date}T${time}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const local = new Date(utc);
  // Date reads February 30 as March 2, so the text differs from the parsed date.
  if (Number.isNaN(local.getTime()) || local.toISOString() !== utc) return null;
  if (Number(zoneHours) > 23 || Number(zoneMinutes) > 59) return null;
  const offsetMs = (Number(zoneHours) * 60 + Number(zoneMinutes)) * MINUTE_MS;
  const ms = local.getTime() - (sign === '-' ? -offsetMs : offsetMs);
  return ms >= 0 && ms <= LAST_MS ? new Date(ms) : null;
}
