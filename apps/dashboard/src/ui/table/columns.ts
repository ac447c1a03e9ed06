import type { ReactNode } from 'react';

/** A column of a DataTable; of the same ones the cards on phones are made. */
export interface Column<Row> {
  id: string;
  header: string;
  /** The header stays for screen readers, e.g. over row menus. */
  hideHeader?: boolean | undefined;
  cell: (row: Row) => ReactNode;
  /** CSS width, e.g. `160px`; the layout is fixed, columns without one share what is left. */
  width?: string | undefined;
  align?: 'start' | 'end' | undefined;
  /** Disappears from narrower windows: below 1024 or 1280 px. Cards have it all the same. */
  from?: 'lg' | 'xl' | undefined;
  /** Where it is on a card: unlabelled lines on top, the first one's end, a labelled line (default), or nowhere. */
  card?: 'title' | 'end' | 'line' | 'none' | undefined;
}

export const FROM_CLASSES = { lg: 'max-lg:hidden', xl: 'max-xl:hidden' } as const;

/** Rows by id that are selected, and how that changes. The ids outlive every refetch. */
export interface RowSelection<Row> {
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
  /** Names a row's checkbox: "Select send_sms 0192…9f3a". */
  label: (row: Row) => string;
}

/** The ids with one more or less; with Shift, all from the last one to this one. */
export function toggled(
  selected: ReadonlySet<string>,
  ids: readonly string[],
  id: string,
  checked: boolean,
  rangeFrom: string | null,
): ReadonlySet<string> {
  const start = rangeFrom === null ? -1 : ids.indexOf(rangeFrom);
  const end = ids.indexOf(id);
  const touched = start < 0 ? [id] : ids.slice(Math.min(start, end), Math.max(start, end) + 1);
  const next = new Set(selected);
  for (const one of touched) {
    if (checked) next.add(one);
    else next.delete(one);
  }
  return next;
}

/** What a checkbox over all rows shows. */
export function checkedOf(selected: ReadonlySet<string>, ids: readonly string[]): boolean | 'mixed' {
  const count = ids.filter((id) => selected.has(id)).length;
  return count === 0 ? false : count === ids.length ? true : 'mixed';
}
