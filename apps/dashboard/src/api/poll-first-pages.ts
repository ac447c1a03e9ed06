const FEW = 3;

/**
 * How often a list is asked for anew. Each time it is asked for as far as it was loaded, so that ends where much was:
 * whoever reads what is old is shown what is new when they come back to the tab, or to the list.
 */
export function pollFirstPages(everyMs: number) {
  return ({ state: { data } }: { state: { data: { pages: readonly unknown[] } | undefined } }): number | false =>
    (data?.pages.length ?? 0) <= FEW ? everyMs : false;
}
