import { useImperativeHandle, useMemo, useRef } from 'react';
import { NARROW, useMedia } from '../hooks.js';
import type { DataTableProps } from './columns.js';
import { Cards, focusRow, moveFocus, TableGrid } from './rows.js';

/**
 * Shows the rows of a list as a native table, or as a list of cards on phones. Each row has one link
 * (`rowLinkClasses`), and a click anywhere in the row follows it. Rows change in place and never move without user
 * action.
 */
export function DataTable<Row extends { id: string }>(props: DataTableProps<Row>) {
  const { caption, rows, rowId = idOf, refetching, empty, selection, ref } = props;
  const narrow = useMedia(NARROW) || props.layout === 'cards';
  const list = useRef<HTMLDivElement>(null);
  const lastId = useRef<string | null>(null);
  const lastToggled = useRef<string | null>(null);
  const ids = useMemo(() => (rows ?? []).map(rowId), [rows, rowId]);

  useImperativeHandle(
    ref,
    () => ({
      move: (step) => moveFocus(list.current, lastId.current, step),
      focus: (which) => focusRow(list.current, which === 'first' ? null : lastId.current),
      focusedId: () => lastId.current,
    }),
    [],
  );
  const rememberFocus = (target: EventTarget) => {
    if (target instanceof Element) lastId.current = target.closest<HTMLElement>('[data-row-id]')?.dataset.rowId ?? null;
  };

  const shared = { ...props, rowId, ids, lastToggled };
  return (
    // The element only listens to events of its children.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div
      ref={list}
      tabIndex={-1}
      className="relative min-w-0 outline-none"
      aria-busy={rows === undefined || refetching || undefined}
      onFocus={({ target }) => rememberFocus(target)}
    >
      {refetching && <RefetchBar />}
      {rows === undefined && (
        <span role="status" className="sr-only">
          Loading {caption}
        </span>
      )}
      {rows?.length === 0 && empty ? empty : narrow ? <Cards {...shared} /> : <TableGrid {...shared} />}
      {selection && (
        <span role="status" className="sr-only">
          {selection.selected.size > 0 ? `${selection.selected.size} selected` : ''}
        </span>
      )}
    </div>
  );
}

const idOf = ({ id }: { id: string }) => id;

/** A bar of two pixels, which shows that the data is being refetched. */
export function RefetchBar() {
  return (
    <span aria-hidden="true" className="absolute inset-x-0 top-0 z-20 block h-0.5 animate-appear overflow-hidden">
      <span className="block h-full w-1/4 animate-sweep bg-accent" />
    </span>
  );
}
