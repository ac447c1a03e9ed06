import { useState } from 'react';
import type { List } from './use-list.js';

/** The rows of a list that are shown, and the newer ones that wait until the user asks for them. */
export interface PendingRows<Row> {
  shown: readonly Row[] | undefined;
  /** The rows that have arrived and are not shown yet. */
  hidden: readonly Row[];
  /** Shows every row. */
  show: () => void;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Hides rows that arrive above or between rows that the user has seen, so that no row moves under the pointer. Rows
 * that arrive below all seen rows are shown at once. `list` identifies the list; with another value, no row counts as
 * seen.
 */
export function usePendingRows<Row extends { id: string }>(
  list: string,
  { rows, isPrevious }: Pick<List<Row>, 'rows' | 'isPrevious'>,
): PendingRows<Row> {
  const [seen, setSeen] = useState({ list, ids: NONE });
  const ids = seen.list === list && !isPrevious ? seen.ids : NONE;
  const last = rows?.findLastIndex(({ id }) => ids.has(id)) ?? -1;
  const isShown = ({ id }: Row, i: number) => i > last || ids.has(id);
  const shown = rows?.filter(isShown);
  if (!isPrevious && shown?.some(({ id }) => !ids.has(id))) {
    setSeen({ list, ids: new Set([...ids, ...shown.map(({ id }) => id)]) });
  }
  const hidden = rows?.filter((row, i) => !isShown(row, i)) ?? [];
  return { shown, hidden, show: () => setSeen({ list, ids: NONE }) };
}
