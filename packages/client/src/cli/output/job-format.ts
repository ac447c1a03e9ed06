import type { Job, JobSummary, LogEntry } from '../../types.js';
import { printable } from './printable.js';
import type { Color, Style } from './style.js';
import type { Column } from './table.js';

const STATUS_COLORS: Record<Job['status'], Color> = {
  pending: 'yellow',
  processing: 'cyan',
  done: 'green',
  failed: 'red',
};
const LEVEL_COLORS: Record<LogEntry['level'], Color> = { debug: 'dim', info: 'cyan', warn: 'yellow', error: 'red' };

export function statusColor({ status }: Pick<Job, 'status'>): Color {
  return STATUS_COLORS[status];
}

export const JOB_COLUMNS: Column<JobSummary>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'TYPE', value: ({ type }) => type },
  { head: 'STATUS', value: ({ status }) => status, color: statusColor },
  { head: 'RETRIES', value: ({ retries, max_retries }) => `${retries}/${max_retries}` },
  { head: 'CREATED', value: ({ created_at }, style) => style.time(created_at) },
  { head: 'TAGS', value: ({ tags = [] }) => tags.join(' '), isFlexible: true },
];

/** On a terminal, times are seconds since the first line of the log. */
export function logLine(style: Style, { timestamp, attempt, level, message }: LogEntry, firstAt: string): string {
  const time = style.isTerminal
    ? `+${((Date.parse(timestamp) - Date.parse(firstAt)) / 1_000).toFixed(3)} s`
    : timestamp;
  const text = printable(message).replaceAll('\n', '\n    ');
  return `${style.paint('dim', time)}  ${attempt}  ${style.paint(LEVEL_COLORS[level], level.padEnd('error'.length))}  ${text}`;
}
