import { UNKNOWN } from './numbers.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The interval of the shared clock, in milliseconds. */
export const TICK_MS = 30 * SECOND;

/** `now`, `40 s ago`, `3 min ago`, `in 2 h`, `5 d ago`; from 30 days on the date. */
export function formatRelative(iso: string, now: number): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return UNKNOWN;
  const distance = Math.abs(now - at);
  if (distance < 5 * SECOND) return 'now';
  if (distance >= 30 * DAY) return formatDate(iso);
  const span = formatSpan(distance);
  return at > now ? `in ${span}` : `${span} ago`;
}

/** One unit, rounded down: 40 s, 3 min, 2 h, 5 d. */
export function formatSpan(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** How long something took: 842 ms, 1.2 s, 42 s, 3 min 04 s, 2 h 05 min. */
export function formatDuration(ms: number | null | undefined): string {
  if (typeof ms !== 'number' || !Number.isFinite(ms) || ms < 0) return UNKNOWN;
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / SECOND).toFixed(1)} s`;
  const seconds = Math.round(ms / SECOND);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** `21 Nov 2026`, in the given time zone or, by default, the user's. */
export function formatDate(iso: string, timeZone?: string): string {
  return shown(iso, { dateStyle: 'medium', timeZone });
}

/** `14:02`, in the user's time zone by default. */
export function formatClock(at: number | string, timeZone?: string): string {
  return shown(at, { timeStyle: 'short', timeZone });
}

/** `14:02:11.204`, for log lines. */
export function formatLogTime(iso: string, timeZone?: string): string {
  return shown(iso, { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, timeZone });
}

/** `21 Nov 2026, 14:02:11 GMT+3`: a date and time with its time zone. */
export function formatMoment(iso: string, timeZone?: string): string {
  return shown(iso, { dateStyle: 'medium', timeStyle: 'long', timeZone });
}

const formats = new Map<string, Intl.DateTimeFormat>();

function shown(at: number | string, options: Intl.DateTimeFormatOptions): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return UNKNOWN;
  const key = JSON.stringify(options);
  // Creating a formatter is much slower than using it, and a log has thousands of times.
  const format = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', options);
  formats.set(key, format);
  return format.format(date);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** Converts an ISO time to the value of a `datetime-local` input, in the user's time zone. */
export function toLocalInput(iso: string | null): string {
  const at = Date.parse(iso ?? '');
  if (Number.isNaN(at)) return '';
  return new Date(at - new Date(at).getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);
}

/** Converts the value of a `datetime-local` input, in the user's time zone, to an ISO time; null if incomplete. */
export function fromLocalInput(text: string): string | null {
  // Without a time, Date would assume UTC or guess.
  const date = /^\d{4,}-\d\d-\d\dT\d\d:\d\d/.test(text) ? new Date(text) : null;
  return date && !Number.isNaN(date.getTime()) ? date.toISOString() : null;
}

/** The name of the user's time zone at a given time, such as `GMT+3 · Africa/Nairobi`. */
export function zoneName(at: Date = new Date()): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(at);
  const short = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone === short ? short : `${short} · ${zone}`;
}

/** Whether a time has passed. Null is a time that never comes. */
export function isPast(iso: string | null, now: number): boolean {
  return iso !== null && Date.parse(iso) <= now;
}
