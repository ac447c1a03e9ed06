import { createContext, use } from 'react';

/**
 * Whether we are in a row of a list. There, times, ids and statuses are no tab stops of their own: a hundred rows would
 * make them hundreds. The row's page has them all.
 */
export const RowContext = createContext(false);

export function useInRow(): boolean {
  return use(RowContext);
}
