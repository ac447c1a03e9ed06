import type { DetailedLogEntryView, LogEntryView, LogLevel } from '@jobline/contracts';
import { formatCount, formatLogTime, formatSpan } from '../../format/index.js';

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

/** The text that is copied: complete lines with UTC times. */
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
