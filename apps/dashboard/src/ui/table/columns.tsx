import type { ReactNode, Ref, RefObject } from 'react';
import { Button, type ButtonProps } from '../button.js';
import { cx } from '../classes.js';
import { Time } from '../time.js';

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
  /** The position on a card: an unlabeled line at the top, the end of the first line, a labeled line, or none. */
  card?: 'title' | 'end' | 'line' | 'none' | undefined;
}

/** The ids of the selected rows. The selection is kept when the data is refetched. */
interface RowSelection<Row> {
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

type Frame<Row> = Omit<Column<Row>, 'cell'>;

/** A column with a text in one line. The whole text is shown on hover. */
export function textColumn<Row>(
  frame: Frame<Row> & { className?: string },
  text: (row: Row) => string | null | undefined,
): Column<Row> {
  const { className, ...column } = frame;
  return {
    ...column,
    cell: (row) => (
      <span className={cx('block truncate', className)} title={text(row) ?? undefined}>
        {text(row)}
      </span>
    ),
  };
}

/** A column with a time. */
export function timeColumn<Row>(
  frame: Frame<Row> & { unknown?: string },
  at: (row: Row) => string | null,
): Column<Row> {
  const { unknown, ...column } = frame;
  return { ...column, cell: (row) => <Time value={at(row)} unknown={unknown} className="text-muted" /> };
}

interface RowAction extends Pick<ButtonProps, 'disabledReason' | 'busy'> {
  verb: string;
  /** The name of the button, with the name of the row: "Remove acme.com". */
  label: string;
  onClick: () => void;
}

function ActionButton({ verb, label, ...button }: RowAction & { className?: string }) {
  return (
    <Button variant="ghost" size="small" aria-label={label} {...button}>
      {verb}
    </Button>
  );
}

/** The last column, with a button such as "Remove". The button is absent in rows for which `actionOf` returns null. */
export function actionColumn<Row>(
  header: string,
  actionOf: (row: Row) => RowAction | null,
  width = '112px',
): Column<Row> {
  const cell = (row: Row) => {
    const action = actionOf(row);
    return action && <ActionButton className="-mr-2.5" {...action} />;
  };
  return { header, hideHeader: true, width, align: 'end', card: 'end', cell };
}

/** The last column, with several buttons. A button that is `false` is not possible for the row. */
export function actionsColumn<Row>(
  width: string,
  actionsOf: (row: Row) => readonly (false | RowAction)[],
): Column<Row> {
  // By its position, so that a button whose verb changes keeps the focus.
  const button = (action: false | RowAction, position: number) => action && <ActionButton key={position} {...action} />;
  const cell = (row: Row) => (
    <span className="-mr-2.5 flex justify-end max-sm:-ml-2.5 max-sm:justify-start">{actionsOf(row).map(button)}</span>
  );
  return { header: 'Actions', hideHeader: true, width, align: 'end', card: 'line', cell };
}

export interface DataTableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  /** Undefined until the first response. Skeleton rows are shown then. */
  rows: readonly Row[] | undefined;
  /** Identifies a row. Default: its `id`. */
  rowId?: ((row: Row) => string) | undefined;
  /** Shows a bar of 2 px while the data is refetched. */
  refetching?: boolean | undefined;
  selection?: RowSelection<Row> | undefined;
  /** The row whose details are open. */
  currentId?: string | null | undefined;
  /** Renders the details below the row of `currentId`, whose link needs `aria-expanded`. Absent: they are elsewhere. */
  detail?: ((row: Row) => ReactNode) | undefined;
  /** Shown instead of rows if there are none: EmptyState or ErrorState. */
  empty?: ReactNode;
  /** Renders a custom card on phones. It must contain the only link of the row. */
  card?: ((row: Row) => ReactNode) | undefined;
  /** The number of skeleton rows. Use the number of rows that is most likely. Default: 8, in a ListTable 3. */
  skeletonRows?: number | undefined;
  /** `cards` shows cards in every window, for a narrow column. Default: `auto`. */
  layout?: 'auto' | 'cards' | undefined;
  /** The CSS class for the height of a custom card. Skeleton cards use it too. */
  cardHeight?: string | undefined;
  ref?: Ref<TableHandle> | undefined;
}

export interface SharedProps<Row> extends DataTableProps<Row> {
  rowId: (row: Row) => string;
  ids: readonly string[];
  /** The row from which a Shift-click selects. */
  lastToggled: RefObject<string | null>;
}

/** The keyboard actions of a list. The page binds the keys: j and k move, x selects. Enter follows the focused link. */
export interface TableHandle {
  /** Moves the focus to the link of the next or previous row. */
  move: (step: 1 | -1) => void;
  /** Moves the focus to the first row, or to the last focused row if it still exists. */
  focus: (which: 'first' | 'last') => void;
  /** The id of the focused row or, if no row has the focus, of the last focused row. */
  focusedId: () => string | null;
}
