import { formatMoment } from '../../format/index.js';
import { userZone } from './schedule-values.js';

/** Times in the time zone of the user and, if it is another one, in that of the schedule. */
export function PlannedTimes({ times, timezone }: { times: readonly string[]; timezone: string | null }) {
  const hasTwoZones = timezone !== null && timezone !== userZone();
  return (
    <ol aria-label="Next times" className="flex flex-col gap-1 tabular-nums">
      {times.map((at) => (
        <li key={at} className="flex flex-wrap gap-x-6 text-body">
          <time dateTime={at}>{formatMoment(at)}</time>
          {hasTwoZones && <span className="text-muted">{inZone(at, timezone)}</span>}
        </li>
      ))}
    </ol>
  );
}

/** `21 Nov 2026, 09:00:00 CET · Europe/Berlin`. */
export function inZone(at: string, timezone: string): string {
  try {
    const moment = formatMoment(at, timezone);
    return moment.endsWith(` ${timezone}`) ? moment : `${moment} · ${timezone}`;
  } catch {
    return formatMoment(at, 'UTC'); // the browser may know fewer zones than the API
  }
}
