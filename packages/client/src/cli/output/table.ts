import Table from 'cli-table3';
import { printable } from './printable.js';
import type { Color, Style } from './style.js';

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
