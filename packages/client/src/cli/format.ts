import Table from 'cli-table3';
import type { Job, JobSummary, LogEntry } from '../types.js';
import { type Color, printable, type Style } from './output.js';

export interface Column<Row> {
  head: string;
  value(row: Row, style: Style): string | number;
  color?(row: Row): Color | null;
  /** On a terminal it gets the width that the others leave, and is cut. */
  isFlexible?: true;
}

const GAP = '  ';
const LEAST_WIDTH = 12;
const NO_BORDERS = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ mid: '', 'mid-mid': '', 'left-mid': '', 'right-mid': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', right: '' },
};

/** Rows in aligned columns below their heads. Empty if there are no rows. */
export function table<Row>(style: Style, rows: readonly Row[], columns: readonly Column<Row>[]): string {
  if (rows.length === 0) return '';
  const cells = columns.map(({ value }) => rows.map((row) => oneLine(String(value(row, style)))));
  const painted = columns.map(({ color }, i) =>
    rows.map((row, j) => {
      const [text = '', chosen] = [cells[i]?.[j], color?.(row)];
      return chosen ? style.paint(chosen, text) : text;
    }),
  );
  const drawn = new Table({
    head: columns.map(({ head }) => style.paint('bold', head)),
    colWidths: widths(style, columns, cells),
    chars: { ...NO_BORDERS, middle: GAP },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  drawn.push(...rows.map((_row, j) => painted.map((column) => column[j] ?? '')));
  const lines = drawn.toString().split('\n');
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Null: as wide as the longest text. */
function widths<Row>({ width }: Style, columns: readonly Column<Row>[], cells: string[][]): (number | null)[] {
  const needed = columns.map(({ head }, i) => Math.max(head.length, ...(cells[i] ?? []).map(({ length }) => length)));
  const total = needed.reduce((sum, one) => sum + GAP.length + one, -GAP.length);
  return columns.map(({ isFlexible }, i) =>
    isFlexible && width !== null && total > width ? Math.max(LEAST_WIDTH, (needed[i] ?? 0) - (total - width)) : null,
  );
}

function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' '));
}

type Values = Readonly<Record<string, string | number | null | undefined>>;

/** Names with their values, one per line. Values that are absent are left out. */
export function fields(style: Style, values: Values, colors: Readonly<Record<string, Color>> = {}): string {
  const shown = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(...shown.map(([name]) => name.length));
  const lines = shown.map(([name, value]) => {
    const [text, color] = [printable(String(value)), colors[name]];
    return `${style.paint('dim', name.padEnd(width))}  ${color ? style.paint(color, text) : text}`;
  });
  return lines.join('\n');
}

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
