const SHAPE = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):(\d\d))$/;
/** From the Unix epoch to the last year of four digits: what Date, Postgres and ISO 8601 write alike. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const MINUTE_MS = 60_000;

/**
 * The moment that an ISO 8601 text names, or null. Stricter than Date.parse: date, time and zone are all required, and
 * only days and hours that exist are taken. Digits after the millisecond are cut.
 */
export function parseInstant(text: string): Date | null {
  const [, date, time, seconds = '00', fraction = '', sign, zoneHours = '00', zoneMinutes = '00'] =
    SHAPE.exec(text) ?? [];
  if (date === undefined || time === undefined) return null;
  const utc = `${date}T${time}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const local = new Date(utc);
  // The 30th of February is read as the 2nd of March, and does not come out as it went in.
  if (Number.isNaN(local.getTime()) || local.toISOString() !== utc) return null;
  if (Number(zoneHours) > 23 || Number(zoneMinutes) > 59) return null;
  const offsetMs = (Number(zoneHours) * 60 + Number(zoneMinutes)) * MINUTE_MS;
  const ms = local.getTime() - (sign === '-' ? -offsetMs : offsetMs);
  return ms >= 0 && ms <= LAST_MS ? new Date(ms) : null;
}
