import type { ReactNode, Ref, RefObject } from 'react';
import type { Column, RowSelection } from './columns.js';
import type { TableHandle } from './row-events.js';

export interface DataTableProps<Row> {
  /** The name of the table for screen readers. */
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
  /**
   * Renders the details below the row of `currentId`, whose link needs `aria-expanded`. Without it, the details are
   * elsewhere.
   */
  detail?: ((row: Row) => ReactNode) | undefined;
  /** Shown instead of rows if there are none: EmptyState or ErrorState. */
  empty?: ReactNode;
  /** Renders a custom card on phones. It must contain the only link of the row. */
  card?: ((row: Row) => ReactNode) | undefined;
  /** The number of skeleton rows. Use the number of rows that is most likely. */
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
