import { type InfiniteData, type QueryClient, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import type { Page } from './api-client.js';

/** A list of the API with all rows that have been loaded so far. */
export interface List<T> {
  /** Undefined until the first response. */
  rows: readonly T[] | undefined;
  hasMore: boolean;
  loadOlder: () => void;
  loadingOlder: boolean;
  /** Whether the shown rows are being refetched. */
  refetching: boolean;
  error: Error | null;
  /** When the shown rows were loaded, in milliseconds. */
  asOf: number;
  retry: () => void;
  retrying: boolean;
}

/** Loads a list page by page: `useList(['keys'], (cursor) => takePage(api.GET('/org/api-keys', …)))`. */
export function useList<T>(
  queryKey: QueryKey,
  fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
  { enabled = true } = {},
): List<T> {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => fetchPage(pageParam),
    initialPageParam: undefined as string | undefined, // later pages: the cursor
    getNextPageParam: ({ next }) => next ?? undefined,
    enabled,
  });
  return {
    rows: query.data?.pages.flatMap(({ items }) => items),
    hasMore: query.hasNextPage,
    loadOlder: () => void query.fetchNextPage(),
    loadingOlder: query.isFetchingNextPage,
    refetching: query.isFetching && !query.isFetchingNextPage && query.data !== undefined,
    error: query.error,
    asOf: query.dataUpdatedAt,
    retry: () => void query.refetch(),
    retrying: query.isFetching,
  };
}

/** Changes the shown rows before the API has responded. Returns a function that restores the previous rows. */
export async function patchList<T>(
  queries: QueryClient,
  queryKey: QueryKey,
  change: (rows: readonly T[]) => T[],
): Promise<() => void> {
  await queries.cancelQueries({ queryKey }); // a response to an earlier request would overwrite the change
  const before = queries.getQueryData<InfiniteData<Page<T>>>(queryKey);
  queries.setQueryData<InfiniteData<Page<T>>>(
    queryKey,
    (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, items: change(page.items) })) },
  );
  return () => queries.setQueryData(queryKey, before);
}
