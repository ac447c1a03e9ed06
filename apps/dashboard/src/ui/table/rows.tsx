import { Fragment, type MouseEvent } from 'react';
import { Checkbox } from '../choices.js';
import { cx } from '../classes.js';
import { RowContext, useMedia } from '../hooks.js';
import { Skeleton } from '../states.js';
import { type Column, checkedOf, type SharedProps, toggled } from './columns.js';

const DEFAULT_SKELETON_ROWS = 8;

/** The table, for windows of 640 px or more. */
export function TableGrid<Row>(props: SharedProps<Row>) {
  const { caption, rows, rowId, selection, ids, skeletonRows = DEFAULT_SKELETON_ROWS } = props;
  const columns = useShownColumns(props.columns);
  return (
    <table className="w-full table-fixed border-collapse text-body">
      <caption className="sr-only">{caption}</caption>
      <colgroup>
        {selection && <col style={{ width: '44px' }} />}
        {columns.map(({ header, width }) => (
          <col key={header} style={{ width }} />
        ))}
      </colgroup>
      <thead>
        <tr className="h-9">
          {selection && (
            <th scope="col" className={cx(headClasses, 'pl-4')}>
              <Checkbox
                checked={checkedOf(selection.selected, ids)}
                onChange={(checked) => selection.onChange(new Set(checked ? ids : []))}
                label="Select all rows shown"
                disabled={ids.length === 0}
              />
            </th>
          )}
          {columns.map((column) => (
            <th key={column.header} scope="col" className={cx(headClasses, cellClasses(column))}>
              {column.hideHeader ? <span className="sr-only">{column.header}</span> : column.header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows === undefined
          ? Array.from({ length: skeletonRows }, (_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical
              <tr key={index} className="h-row border-t border-line">
                {selection && <td />}
                {columns.map((column) => (
                  <td key={column.header} className={cellClasses(column)}>
                    {!column.hideHeader && <Skeleton className={SKELETON_WIDTHS[index % SKELETON_WIDTHS.length]} />}
                  </td>
                ))}
              </tr>
            ))
          : rows.map((row) => {
              const id = rowId(row);
              return (
                <Fragment key={id}>
                  <tr
                    {...rowAttributes(props, id)}
                    onClick={followRowLink}
                    className={cx(
                      'group/row h-row border-t border-line transition-colors has-[a]:cursor-pointer hover:bg-hover',
                      rowClasses,
                    )}
                  >
                    <RowContext value={true}>
                      {selection && (
                        <td className="pl-4">
                          <RowCheckbox {...props} row={row} id={id} />
                        </td>
                      )}
                      {/* `cell` is called as a function. As a component, the cells of new columns would be mounted again
                          and lose the focus. */}
                      {columns.map((column) => (
                        <td key={column.header} className={cx('overflow-hidden', cellClasses(column))}>
                          {column.cell(row)}
                        </td>
                      ))}
                    </RowContext>
                  </tr>
                  {props.currentId === id && props.detail && (
                    <tr>
                      <td colSpan={columns.length + (selection ? 1 : 0)} className="bg-canvas">
                        {props.detail(row)}
                      </td>
                    </tr>
                  )}
                </Fragment>
              );
            })}
      </tbody>
    </table>
  );
}

const SKELETON_WIDTHS = ['w-3/4', 'w-1/2', 'w-2/3'];

const headClasses = 'sticky top-0 z-10 bg-surface text-left text-meta font-medium whitespace-nowrap text-muted';

function cellClasses<Row>({ align }: Column<Row>): string {
  return cx('truncate px-3 first:pl-4 last:pr-4', align === 'end' && 'text-right tabular-nums');
}

/** The columns for the width of the window. Columns that CSS hides would still count for the cell of the details. */
function useShownColumns<Row>(columns: readonly Column<Row>[]): Column<Row>[] {
  const isWide = { lg: useMedia('(width >= 64rem)'), xl: useMedia('(width >= 80rem)') };
  return columns.filter(({ from }) => from === undefined || isWide[from]);
}

const SKELETON_CARDS = 5;

/** The rows below 640 px. A list, because screen readers do not recognize a table whose cells are block elements. */
export function Cards<Row>(props: SharedProps<Row>) {
  const { caption, columns, rows, rowId, selection, currentId, detail, card, cardHeight } = props;
  if (!rows) {
    const count = Math.min(props.skeletonRows ?? SKELETON_CARDS, SKELETON_CARDS);
    return <SkeletonCards count={count} height={cardHeight} />;
  }
  return (
    <ul aria-label={caption} className="divide-y divide-line">
      {rows.map((row) => {
        const id = rowId(row);
        return (
          <li key={id} {...rowAttributes(props, id)} className={rowClasses}>
            {/* Keyboard users activate the link inside. */}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above */}
            {/* biome-ignore lint/a11y/noStaticElementInteractions: see above */}
            <div onClick={followRowLink} className={cx('flex gap-3 px-4 py-3', cardHeight)}>
              <RowContext value={true}>
                {selection && (
                  <span className="pt-1">
                    <RowCheckbox {...props} row={row} id={id} />
                  </span>
                )}
                <div className="min-w-0 flex-1">{card ? card(row) : <Card columns={columns} row={row} />}</div>
              </RowContext>
            </div>
            {detail && currentId === id && <div className="border-t border-line bg-canvas">{detail(row)}</div>}
          </li>
        );
      })}
    </ul>
  );
}

function Card<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  const at = (position: 'title' | 'end' | 'line') => columns.filter(({ card = 'line' }) => card === position);
  const [first, ...titles] = at('title');
  const lines = at('line');
  return (
    <>
      <div className="flex min-h-7 items-center justify-between gap-3">
        <div className="min-w-0">{first?.cell(row)}</div>
        <div className="flex shrink-0 items-center gap-2 text-meta text-muted">
          {at('end').map(({ header, cell }) => (
            <span key={header}>{cell(row)}</span>
          ))}
        </div>
      </div>
      {titles.map(({ header, cell }) => (
        <div key={header} className="mt-1 min-w-0">
          {cell(row)}
        </div>
      ))}
      {lines.length > 0 && (
        <dl className="mt-1.5 grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5">
          {lines.map(({ header, hideHeader, cell }) => (
            <div key={header} className="col-span-2 grid grid-cols-subgrid items-center">
              <dt className={cx('text-meta text-muted', hideHeader && 'sr-only')}>{header}</dt>
              <dd className={cx('min-w-0 truncate', hideHeader && 'col-span-2')}>{cell(row)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

function SkeletonCards({ count, height = 'h-32' }: { count: number; height: string | undefined }) {
  return (
    <div className="divide-y divide-line">
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cards are identical
        <div key={index} className={cx('flex flex-col justify-center gap-3 px-4', height)}>
          <Skeleton className="w-1/2" />
          <Skeleton className="w-3/4" />
          {height === 'h-32' && <Skeleton className="w-2/3" />}
        </div>
      ))}
    </div>
  );
}

/** The classes of a row, in a table and as a card. */
const rowClasses = cx(
  'data-selected:bg-accent-soft aria-current:bg-accent-soft',
  'has-[a:focus-visible]:bg-hover has-[a:focus-visible]:shadow-[inset_2px_0_0_var(--focus)]',
);

/** Elements that handle clicks themselves. */
const INTERACTIVE = 'a, button, input, label, select, textarea, [role=menuitem], [role=checkbox]';

/** Follows the only link of a row on a click anywhere in the row, except on interactive elements and selected text. */
function followRowLink(event: MouseEvent<HTMLElement>): void {
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
  const rows = rowsOf(list);
  const row = rows.find(({ dataset }) => dataset.rowId === id) ?? rows[0];
  const target = (row && rowLink(row)) ?? list;
  target?.focus();
}

export function moveFocus(list: HTMLElement | null, lastId: string | null, step: 1 | -1): void {
  const rows = rowsOf(list);
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const from = at >= 0 ? at : rows.findIndex(({ dataset }) => dataset.rowId === lastId);
  const next = rows[from < 0 ? (step > 0 ? 0 : rows.length - 1) : from + step];
  if (!next) return;
  rowLink(next)?.focus();
  next.scrollIntoView({ block: 'nearest' });
}

function rowsOf(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[data-row-id]') ?? [])];
}

function rowLink(row: HTMLElement): HTMLElement | null {
  return row.querySelector<HTMLElement>('a[href], [data-row-link]');
}

/** The attributes of a row, in a table and as a card. */
function rowAttributes<Row>({ selection, currentId }: SharedProps<Row>, id: string) {
  return {
    'data-row-id': id,
    'aria-current': currentId === id || undefined,
    'data-selected': selection?.selected.has(id) || undefined,
  };
}

/** The checkbox of a row. With Shift, it selects all rows in between. */
function RowCheckbox<Row>(props: SharedProps<Row> & { row: Row; id: string }) {
  const { selection, ids, lastToggled, row, id } = props;
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
