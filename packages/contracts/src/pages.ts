/** One page of a list, newest first. */
export interface Page<T> {
  items: T[];
  /** Where the next page starts; null on the last page. */
  next: string | null;
}

export const DEFAULT_PAGE_LIMIT = 100;
export const MAX_PAGE_LIMIT = 1000;
