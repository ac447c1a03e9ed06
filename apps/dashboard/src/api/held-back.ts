import { useState } from 'react';

/** Rows as they are shown while newer ones wait to be asked for. */
export interface HeldBack<Row> {
  shown: readonly Row[] | undefined;
  /** Those that wait. */
  held: readonly Row[];
  /** Shows all that there is. */
  show: () => void;
}

/** A list that is asked for page by page. */
interface Pages<Row> {
  data: { pages: readonly { items: readonly Row[] }[] } | undefined;
  /** It is another list's, shown until this one's is there. */
  isPlaceholderData: boolean;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * What came in among rows that were seen is held back until it is asked for, so that no row moves under a pointer. What
 * stands below them all moves none. `list` names the list: another one is seen anew.
 */
export function useHeldBack<Row extends { id: string }>(
  list: string,
  { data, isPlaceholderData }: Pages<Row>,
): HeldBack<Row> {
  const [seen, setSeen] = useState({ list, ids: NONE });
  const ids = seen.list === list && !isPlaceholderData ? seen.ids : NONE;
  const rows = data?.pages.flatMap(({ items }) => items);
  const last = rows?.findLastIndex(({ id }) => ids.has(id)) ?? -1;
  const isShown = ({ id }: Row, i: number) => i > last || ids.has(id);
  const shown = rows?.filter(isShown);
  if (!isPlaceholderData && shown?.some(({ id }) => !ids.has(id))) {
    setSeen({ list, ids: new Set([...ids, ...shown.map(({ id }) => id)]) });
  }
  const held = rows?.filter((row, i) => !isShown(row, i)) ?? [];
  return { shown, held, show: () => setSeen({ list, ids: NONE }) };
}
