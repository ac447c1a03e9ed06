import { type InfiniteData, type QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import type { paths } from '../generated/api.js';
import { useApi } from '../services.js';
import { type Page, takePage } from './api-client.js';

/** The paths of the API whose response is a page of a list. */
type ListPath = { [P in keyof paths]: paths[P] extends { get: GetList } ? P : never }[keyof paths];
type GetList = { responses: { 200: { content: { 'application/json': unknown[] } } } };

type RowOf<P extends ListPath> = paths[P]['get']['responses'][200]['content']['application/json'][number];
type QueryOf<P extends ListPath> = NonNullable<paths[P]['get']['parameters']['query']>;
/** The parameters in a path such as `/org/webhooks/{id}/deliveries`. */
type ParamsOf<P extends ListPath> = NonNullable<paths[P]['get']['parameters']['path']>;

/** A list of the API with all rows that have been loaded so far. */
export interface List<T> {
  /** Undefined until the first response. */
  rows: readonly T[] | undefined;
  /** Whether the rows belong to the previous query, and are shown until those of this query are loaded. */
  isPrevious: boolean;
  hasMore: boolean;
  loadOlder: () => void;
  loadingOlder: boolean;
  /** Whether the shown rows are being refetched. */
  refetching: boolean;
  error: Error | null;
  /** When the shown rows were loaded, in milliseconds. */
  asOf: number;
  refetch: () => unknown;
  isFetching: boolean;
}

const MAX_POLLED_PAGES = 3;

/**
 * Loads a list page by page: `useList('/org/templates', { kind })`. The query key of the list starts with the path.
 *
 * A refetch loads all pages that have been loaded before, so polling stops after three pages. A user who reads older
 * entries then sees new ones after returning to the tab or to the list.
 */
export function useList<P extends ListPath>(
  path: P,
  query?: QueryOf<P>,
  pollEveryMs?: number,
  params?: ParamsOf<P>,
): List<RowOf<P>> {
  const api = useApi();
  const list = useInfiniteQuery({
    queryKey: [path, query, params],
    queryFn: ({ pageParam: cursor, signal }): Promise<Page<RowOf<P>>> => {
      // The cast: openapi-fetch cannot infer its types for a path that is not a literal. All lists have these types.
      const anyPath = path as '/jobs';
      const inPath: object = params ? { path: params } : {};
      return takePage<RowOf<P>>(
        api.GET(anyPath, { params: { ...inPath, query: { ...query, ...(cursor && { cursor }) } }, signal }),
      );
    },
    initialPageParam: '', // later pages: the cursor
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state: { data } }) =>
      pollEveryMs !== undefined && (data?.pages.length ?? 0) <= MAX_POLLED_PAGES && pollEveryMs,
  });
  return {
    rows: list.data?.pages.flatMap(({ items }) => items),
    isPrevious: list.isPlaceholderData,
    hasMore: list.hasNextPage,
    loadOlder: () => void list.fetchNextPage(),
    loadingOlder: list.isFetchingNextPage,
    refetching: list.isFetching && !list.isFetchingNextPage && list.data !== undefined,
    error: list.error,
    asOf: list.dataUpdatedAt,
    refetch: list.refetch,
    isFetching: list.isFetching,
  };
}

/** Changes the shown rows before the API has responded. Returns a function that restores the previous rows. */
export async function patchList<P extends ListPath>(
  queries: QueryClient,
  path: P,
  change: (rows: readonly RowOf<P>[]) => RowOf<P>[],
): Promise<() => void> {
  const lists = { queryKey: [path] };
  await queries.cancelQueries(lists); // a response to an earlier request would overwrite the change
  const before = queries.getQueriesData(lists);
  queries.setQueriesData<InfiniteData<Page<RowOf<P>>>>(
    lists,
    (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, items: change(page.items) })) },
  );
  return () => {
    for (const [key, data] of before) queries.setQueryData(key, data);
  };
}
