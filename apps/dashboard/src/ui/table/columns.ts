import type { ReactNode } from 'react';

/** A column of a DataTable. The cards on phones use the same columns. */
export interface Column<Row> {
  /** The name of the column, which is different for each column of a table. */
  header: string;
  /** Hides the header visually, for example above row menus. Screen readers still read it. */
  hideHeader?: boolean | undefined;
  cell: (row: Row) => ReactNode;
  /** The CSS width, such as `160px`. Columns without a width share the remaining space. */
  width?: string | undefined;
  align?: 'start' | 'end' | undefined;
  /** Hides the column in windows below 1024 (`lg`) or 1280 px (`xl`). Cards still show it. */
  from?: 'lg' | 'xl' | undefined;
  /**
   * The position on a card: an unlabeled line at the top, the end of the first line, a labeled line (default), or none.
   */
  card?: 'title' | 'end' | 'line' | 'none' | undefined;
}

/** The media queries of `from`. */
export const FROM_WIDTHS = { lg: '(width >= 64rem)', xl: '(width >= 80rem)' } as const;

/** The ids of the selected rows. The selection is kept when the data is refetched. */
export interface RowSelection<Row> {
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
  /** The name of a row's checkbox: "Select send_sms 0192…9f3a". */
  label: (row: Row) => string;
}

/** Adds or removes an id. With Shift, `rangeFrom` is the last toggled id, and all ids in between change too. */
export function toggled(
  selected: ReadonlySet<string>,
  ids: readonly string[],
  id: string,
  checked: boolean,
  rangeFrom: string | null,
): ReadonlySet<string> {
  const start = rangeFrom === null ? -1 : ids.indexOf(rangeFrom);
  const end = ids.indexOf(id);
  const changed = start < 0 ? [id] : ids.slice(Math.min(start, end), Math.max(start, end) + 1);
  const next = new Set(selected);
  for (const one of changed) {
    if (checked) next.add(one);
    else next.delete(one);
  }
  return next;
}

/** Returns the state of the checkbox for all rows. */
export function checkedOf(selected: ReadonlySet<string>, ids: readonly string[]): boolean | 'mixed' {
  const count = ids.filter((id) => selected.has(id)).length;
  return count === 0 ? false : count === ids.length ? true : 'mixed';
}
