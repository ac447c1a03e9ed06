const MAX_POLLED_PAGES = 3;

/**
 * The refetch interval of a list. A refetch loads all pages that have been loaded before, so polling stops after three
 * pages. A user who reads older entries then sees new ones after returning to the tab or to the list.
 */
export function pollFirstPages(everyMs: number) {
  return ({ state: { data } }: { state: { data: { pages: readonly unknown[] } | undefined } }): number | false =>
    (data?.pages.length ?? 0) <= MAX_POLLED_PAGES ? everyMs : false;
}
