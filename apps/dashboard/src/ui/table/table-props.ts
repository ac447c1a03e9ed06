import type { ReactNode, Ref, RefObject } from 'react';
import type { Column, RowSelection } from './columns.js';
import type { TableHandle } from './row-events.js';

export interface DataTableProps<Row> {
  /** Names the table for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  /** Undefined while the first answer is awaited: skeleton rows stand in. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string;
  /** A refetch is under way: the 2 px bar. */
  refetching?: boolean | undefined;
  selection?: RowSelection<Row> | undefined;
  /** The row whose details are open beside the list. */
  currentId?: string | null | undefined;
  /** What opens under the row of `currentId`; its link has `aria-expanded` then. Without it the details are elsewhere. */
  detail?: ((row: Row) => ReactNode) | undefined;
  /** Instead of rows when there are none: EmptyState or ErrorState. */
  empty?: ReactNode;
  /** A card of one's own on phones. It must hold the row's one link. */
  card?: ((row: Row) => ReactNode) | undefined;
  /** How many skeleton rows: as many as are likely to come. */
  skeletonRows?: number | undefined;
  /** `cards` makes it a list in every window: for a column beside what is read. Default `auto`. */
  layout?: 'auto' | 'cards' | undefined;
  /** The height of a card of one's own, as a class: skeletons keep it. */
  cardHeight?: string | undefined;
  ref?: Ref<TableHandle> | undefined;
}

export interface SharedProps<Row> extends DataTableProps<Row> {
  ids: readonly string[];
  /** From where a Shift-click selects. */
  lastToggled: RefObject<string | null>;
}
