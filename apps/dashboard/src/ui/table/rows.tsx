import type { MouseEvent } from 'react';
import { Checkbox } from '../checkbox.js';
import { cx } from '../classes.js';
import { type SharedProps, toggled } from './columns.js';

/** The classes of a row, in a table and as a card. */
export const rowClasses = cx(
  'data-selected:bg-accent-soft aria-current:bg-accent-soft',
  'has-[a:focus-visible]:bg-hover has-[a:focus-visible]:shadow-[inset_2px_0_0_var(--focus)]',
);

/** Elements that handle clicks themselves. */
const INTERACTIVE = 'a, button, input, label, select, textarea, [role=menuitem], [role=checkbox]';

/** Follows the only link of a row on a click anywhere in the row, except on interactive elements and selected text. */
export function followRowLink(event: MouseEvent<HTMLElement>): void {
  const row = event.currentTarget;
  if (!(event.target instanceof Element) || !row.contains(event.target) || event.target.closest(INTERACTIVE)) return;
  if (window.getSelection()?.toString()) return;
  const { ctrlKey, metaKey, shiftKey } = event;
  rowLink(row)?.dispatchEvent(
    new window.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
  );
}

/** Moves the focus to a row. If there are no rows, the list itself gets the focus. */
export function focusRow(list: HTMLElement | null, id: string | null): void {
  const rows = [...(list?.querySelectorAll<HTMLElement>('[data-row-id]') ?? [])];
  const row = rows.find(({ dataset }) => dataset.rowId === id) ?? rows[0];
  const target = (row && rowLink(row)) ?? list;
  target?.focus();
}

export function moveFocus(list: HTMLElement | null, lastId: string | null, step: 1 | -1): void {
  const rows = [...(list?.querySelectorAll<HTMLElement>('[data-row-id]') ?? [])];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const from = at >= 0 ? at : rows.findIndex(({ dataset }) => dataset.rowId === lastId);
  const next = rows[from < 0 ? (step > 0 ? 0 : rows.length - 1) : from + step];
  if (!next) return;
  rowLink(next)?.focus();
  next.scrollIntoView({ block: 'nearest' });
}

function rowLink(row: HTMLElement): HTMLElement | null {
  return row.querySelector<HTMLElement>('a[href], [data-row-link]');
}

/** The checkbox of a row. With Shift, it selects all rows in between. */
export function RowCheckbox<Row>({
  selection,
  ids,
  lastToggled,
  row,
  id,
}: SharedProps<Row> & { row: Row; id: string }) {
  if (!selection) return null;
  return (
    <Checkbox
      checked={selection.selected.has(id)}
      onChange={(checked, shift) => {
        selection.onChange(toggled(selection.selected, ids, id, checked, shift ? lastToggled.current : null));
        lastToggled.current = id;
      }}
      label={selection.label(row)}
    />
  );
}
