import { createContext, use } from 'react';

/**
 * Whether a component is inside a row of a list. There, times, ids and statuses are not tab stops, because a hundred
 * rows would add hundreds of them. The page of the row shows the same details with tab stops.
 */
export const RowContext = createContext(false);

export function useInRow(): boolean {
  return use(RowContext);
}
