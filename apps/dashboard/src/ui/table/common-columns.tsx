import { Button } from '../button.js';
import { cx } from '../cx.js';
import { Time } from '../time.js';
import type { Column } from './columns.js';

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

export interface RowAction {
  /** The name of the button, with the name of the row: "Remove acme.com". */
  label: string;
  onClick: () => void;
  /** Why the action is not possible for this row. */
  disabledReason?: string | undefined;
}

/** The last column, with a button such as "Remove". */
export function actionColumn<Row>(verb: string, actionOf: (row: Row) => RowAction, width = '112px'): Column<Row> {
  return {
    header: verb,
    hideHeader: true,
    width,
    align: 'end',
    card: 'end',
    cell: (row) => {
      const { label, ...button } = actionOf(row);
      return (
        <Button variant="ghost" size="small" className="-mr-2.5" aria-label={label} {...button}>
          {verb}
        </Button>
      );
    },
  };
}
