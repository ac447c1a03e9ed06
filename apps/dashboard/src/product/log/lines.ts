import type { DetailedLogEntryView, LogEntryView, LogLevel } from '@jobline/contracts';
import { formatCount, formatDate, formatLogTime, formatSpan } from '../../format/index.js';

/** A log entry, with its data if the API has returned it, and without if the stream of the job has. */
export type LogLine = LogEntryView & Partial<Pick<DetailedLogEntryView, 'kind' | 'duration_ms'>>;

export type LevelFilter = 'all' | 'info' | 'warn' | 'error';
export type TimeForm = 'local' | 'utc' | 'elapsed' | 'none';

const RANKS: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Returns the lines of a level and above. */
export function linesFrom(lines: readonly LogLine[], filter: LevelFilter): readonly LogLine[] {
  if (filter === 'all') return lines;
  return lines.filter(({ level }) => RANKS[level] >= RANKS[filter]);
}

/** Groups the lines by attempt, in order. A late line is still listed under its attempt. */
export function attemptsOf(lines: readonly LogLine[]): readonly { number: number; lines: readonly LogLine[] }[] {
  const byNumber = new Map<number, LogLine[]>();
  for (const line of lines) {
    const others = byNumber.get(line.attempt);
    if (others) others.push(line);
    else byNumber.set(line.attempt, [line]);
  }
  return [...byNumber].sort(([a], [b]) => a - b).map(([number, grouped]) => ({ number, lines: grouped }));
}

/** Formats the time of a line. `elapsed` counts from the first line of the attempt. */
export function lineTime(timestamp: string, form: TimeForm, startedAt: string): string {
  if (form === 'none') return '';
  if (form === 'local') return formatLogTime(timestamp);
  if (form === 'utc') return formatLogTime(timestamp, 'UTC');
  const ms = Math.max(0, Date.parse(timestamp) - Date.parse(startedAt));
  return ms < 60_000 ? `+${(ms / 1_000).toFixed(3)}` : `+${formatSpan(ms)}`;
}

/** The date of the line at `index`, if the line before is of another day; undefined if no times of the day are shown. */
export function newDate(lines: readonly LogLine[], index: number, form: TimeForm): string | undefined {
  const [line, before] = [lines[index], lines[index - 1]];
  if (!line || (form !== 'local' && form !== 'utc')) return undefined;
  const dayOf = ({ timestamp }: LogLine) =>
    form === 'utc' ? timestamp.slice(0, 10) : new Date(timestamp).toDateString();
  if (before && dayOf(before) === dayOf(line)) return undefined;
  return formatDate(line.timestamp, form === 'utc' ? 'UTC' : undefined);
}

/** The text that is copied or downloaded: complete lines with UTC times. */
export function logText(lines: readonly LogLine[]): string {
  return lines
    .map(({ timestamp, level, attempt, message }) => `${timestamp} ${level.toUpperCase()} #${attempt} ${message}`)
    .join('\n');
}

/** Announces new lines: "12 new lines, 1 error". Empty if there are none. */
export function newLinesSentence(lines: readonly LogLine[]): string {
  if (lines.length === 0) return '';
  const errors = lines.filter(({ level }) => level === 'error').length;
  const counted = formatCount(lines.length, 'new line');
  return errors === 0 ? counted : `${counted}, ${formatCount(errors, 'error')}`;
}
