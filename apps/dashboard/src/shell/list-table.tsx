import { createLink } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { type ComponentProps, useRef } from 'react';
import type { List, PendingRows } from '../api/use-list.js';
import { useRowShortcuts } from '../keyboard/use-shortcut.js';
import {
  cx,
  DataTable,
  type DataTableProps,
  LoadOlder,
  NewItems,
  rowLinkClasses,
  StaleNote,
  type TableHandle,
} from '../ui/index.js';
import { LoadError } from './load-error.js';

interface ListTableProps<Row>
  extends Omit<DataTableProps<Row>, 'rows' | 'refetching'>,
    Pick<ComponentProps<typeof LoadOlder>, 'what' | 'many'> {
  list: List<Row>;
  /** Whether the end of the list shows how many rows it has, also if there are no older ones. */
  total?: boolean | undefined;
  /** For a list that is polled: a notice above the list offers to show the new rows. */
  pending?: PendingRows<Row> | undefined;
  /** How many rows are loaded at a time. Default: 100. */
  pageSize?: number | undefined;
  /** The heading of the keys `j` and `k` in the help dialog. Absent: a page with its own keys passes a `ref`, or none. */
  shortcuts?: string | undefined;
}

/** Shows a list of the API in every state: loading, failed, outdated, empty, and with more pages. */
export function ListTable<Row extends { id: string }>(props: ListTableProps<Row>) {
  const { list, what, many, total, pending, pageSize, shortcuts, skeletonRows = 3, ...table } = props;
  const handle = useRef<TableHandle>(null);
  useRowShortcuts(handle, shortcuts);
  const { error, isPrevious } = list;
  const rows = pending ? pending.shown : list.rows;
  // A polled list that failed does not show the rows of another filter.
  if (error && (!rows || (pending && isPrevious))) {
    return <LoadError of={list} what={total ? `The ${many ?? `${what}s`}` : undefined} />;
  }
  return (
    <>
      {pending && rows?.length !== 0 && (
        <div className={cx(table.layout === 'cards' && 'border-b border-line')}>
          <NewItems
            count={pending.hidden.length}
            hasRows={rows !== undefined}
            what={what}
            many={many}
            onShow={pending.show}
          />
        </div>
      )}
      {error && (
        <div className={cx('px-4 py-2', pending && 'border-b border-line')}>
          <StaleNote asOf={list.asOf} onRetry={pending ? undefined : () => void list.refetch()} />
        </div>
      )}
      <DataTable
        ref={handle}
        {...table}
        skeletonRows={skeletonRows}
        rows={rows}
        refetching={pending ? list.isFetching && isPrevious : list.refetching}
      />
      {rows && rows.length > 0 && (total || list.hasMore) && (
        <LoadOlder
          hasMore={list.hasMore}
          shown={rows.length}
          onLoad={list.loadOlder}
          loading={list.loadingOlder}
          count={pageSize}
          what={what}
          many={many}
        />
      )}
    </>
  );
}

/** The link of a row that opens and closes the row's details. Its `search` is that of the other state. */
export const RowToggle = createLink(
  ({ isOpen, children, ...link }: ComponentProps<'a'> & { isOpen: boolean; children?: string }) => (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: `link` has the address
    <a
      {...link}
      aria-expanded={isOpen}
      title={children}
      className={cx(rowLinkClasses, 'flex! min-w-0 items-center gap-2')}
    >
      <ChevronRight size={14} className={cx('shrink-0 text-muted transition-transform', isOpen && 'rotate-90')} />
      <span className="truncate">{children}</span>
    </a>
  ),
);
