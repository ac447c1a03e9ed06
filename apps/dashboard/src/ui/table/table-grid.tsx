import { Fragment } from 'react';
import { Checkbox } from '../checkbox.js';
import { cx } from '../classes.js';
import { RowContext, useMedia } from '../hooks.js';
import { Skeleton } from '../states.js';
import { type Column, checkedOf, FROM_WIDTHS, type SharedProps } from './columns.js';
import { followRowLink, RowCheckbox, rowClasses } from './rows.js';

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
              const isCurrent = props.currentId === id;
              return (
                <Fragment key={id}>
                  <tr
                    data-row-id={id}
                    aria-current={isCurrent || undefined}
                    data-selected={selection?.selected.has(id) || undefined}
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
                  {isCurrent && props.detail && (
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
  const isWide = { lg: useMedia(FROM_WIDTHS.lg), xl: useMedia(FROM_WIDTHS.xl) };
  return columns.filter(({ from }) => from === undefined || isWide[from]);
}
