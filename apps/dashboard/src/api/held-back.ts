import { useState } from 'react';

/** Rows as they are shown while newer ones wait to be asked for. */
export interface HeldBack<Row> {
  shown: readonly Row[] | undefined;
  /** How many wait. */
  count: number;
  /** Shows all that there is. */
  show: () => void;
}

/**
 * What came in on top since the list was first seen is held back until it is asked for, so that no row moves under a
 * pointer. `list` names the list: another one is seen anew.
 */
export function useHeldBack<Row extends { id: string }>(list: string, rows: readonly Row[] | undefined): HeldBack<Row> {
  const [seen, setSeen] = useState<{ list: string; top: string | null }>({ list, top: null });
  const top = seen.list === list ? seen.top : null;
  const newest = rows?.[0]?.id ?? null;
  if (top === null && newest !== null) setSeen({ list, top: newest });
  const count = Math.max(0, rows?.findIndex(({ id }) => id === top) ?? 0);
  return { shown: rows?.slice(count), count, show: () => setSeen({ list, top: null }) };
}
