import { type InfiniteData, type QueryClient, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import type { Page } from './api-client.js';

/** A list of the API as a page shows it: all that was loaded so far, in one piece. */
export interface List<T> {
  /** Undefined until the first answer. */
  rows: readonly T[] | undefined;
  hasMore: boolean;
  loadOlder: () => void;
  loadingOlder: boolean;
  /** What is shown is being fetched anew. */
  refetching: boolean;
  error: Error | null;
  /** When what is shown was true, in milliseconds. */
  asOf: number;
  retry: () => void;
  retrying: boolean;
}

/** Asks for a list, page by page: `useList(['keys'], (cursor) => takePage(api.GET('/org/api-keys', …)))`. */
export function useList<T>(
  queryKey: QueryKey,
  fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
  { enabled = true } = {},
): List<T> {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => fetchPage(pageParam),
    initialPageParam: undefined as string | undefined, // of later pages: the cursor
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

/** Changes what is shown of a list before the API has answered. Gives what puts it back. */
export async function patchList<T>(
  queries: QueryClient,
  queryKey: QueryKey,
  change: (rows: readonly T[]) => T[],
): Promise<() => void> {
  await queries.cancelQueries({ queryKey }); // an answer from before would undo it
  const before = queries.getQueryData<InfiniteData<Page<T>>>(queryKey);
  queries.setQueryData<InfiniteData<Page<T>>>(
    queryKey,
    (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, items: change(page.items) })) },
  );
  return () => queries.setQueryData(queryKey, before);
}
