import type { MouseEvent } from 'react';

/** What has an effect of its own when it is clicked. */
const OWN_EFFECT = 'a, button, input, label, select, textarea, [role=menuitem], [role=checkbox]';

/** A click anywhere in a row follows its one link, unless it hit something else or selected text. */
export function followRowLink(event: MouseEvent<HTMLElement>): void {
  const row = event.currentTarget;
  if (!(event.target instanceof Element) || !row.contains(event.target) || event.target.closest(OWN_EFFECT)) return;
  if (window.getSelection()?.toString()) return;
  const { ctrlKey, metaKey, shiftKey } = event;
  rowLink(row)?.dispatchEvent(
    new window.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
  );
}

/** What the list's keys do. Its page binds them: j and k move, Enter follows by itself, x selects. */
export interface TableHandle {
  /** Puts the focus on the next or previous row's link. */
  move: (step: 1 | -1) => void;
  /** Puts it on the first row, or on the one that had it last if that is still there. */
  focus: (which: 'first' | 'last') => void;
  /** The row that has the focus, else the one that had it last. */
  focusedId: () => string | null;
}

/** Without a row the focus goes to the list. */
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
