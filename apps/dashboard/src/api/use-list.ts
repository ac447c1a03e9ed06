import type { InputOf, ItemOf, OperationId, OutputOf, Page, PathOf, QueryOf, Schemas } from '@jobline/client';
import { MAX_PAGE_LIMIT } from '@jobline/contracts';
import { type InfiniteData, type QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useServices } from '../services.js';

/** The operations of the API whose response is a page of a list. */
export type ListId = { [O in OperationId]: OutputOf<O> extends readonly unknown[] ? O : never }[OperationId];

/** A list of the API with all rows that have been loaded so far. */
export interface List<T> {
  /** Undefined until the first response. */
  rows: readonly T[] | undefined;
  /** Whether the rows belong to the previous query, and are shown until those of this query are loaded. */
  isPrevious: boolean;
  hasMore: boolean;
  loadOlder: () => void;
  loadingOlder: boolean;
  refetching: boolean;
  error: Error | null;
  /** When the shown rows were loaded, in milliseconds. */
  asOf: number;
  refetch: () => unknown;
  isFetching: boolean;
}

const MAX_POLLED_PAGES = 3;
/** The first page has no cursor. */
const NEWEST: string | null = null;

/**
 * Loads a list page by page: `useList('listTemplates', { kind })`. The query key of the list starts with the operation.
 *
 * A refetch loads all pages that have been loaded before, so polling stops after three pages. A user who reads older
 * entries then sees new ones after returning to the tab or to the list.
 */
export function useList<O extends ListId>(
  operation: O,
  query?: QueryOf<O>,
  pollEveryMs?: number,
  path?: PathOf<O>,
): List<ItemOf<O>> {
  const api = useApi();
  const list = useInfiniteQuery({
    queryKey: [operation, query, path],
    queryFn: ({ pageParam: cursor, signal }) => {
      // The cast: TypeScript does not resolve the input of an operation that is not known here.
      const input = { path, query: { ...query, ...(cursor !== null && { cursor }) } } as InputOf<O>;
      return api.page(operation, input, { signal });
    },
    initialPageParam: NEWEST,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state: { data } }) =>
      pollEveryMs !== undefined && (data?.pages.length ?? 0) <= MAX_POLLED_PAGES && pollEveryMs,
  });
  return {
    rows: list.data?.pages.flatMap(({ data }) => data),
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
export async function patchList<O extends ListId>(
  queries: QueryClient,
  operation: O,
  change: (rows: readonly ItemOf<O>[]) => ItemOf<O>[],
): Promise<() => void> {
  const lists = { queryKey: [operation] };
  await queries.cancelQueries(lists); // a response to an earlier request would overwrite the change
  const before = queries.getQueriesData(lists);
  queries.setQueriesData<InfiniteData<Page<ItemOf<O>>>>(
    lists,
    (list) => list && { ...list, pages: list.pages.map((page) => ({ ...page, data: change(page.data) })) },
  );
  return () => {
    for (const [key, data] of before) queries.setQueryData(key, data);
  };
}

/**
 * Returns a function that shows changed rows of a list at once and then calls the API. If the API fails, it shows the
 * previous rows again and throws the error.
 */
export function useOptimisticChange<O extends ListId>(operation: O) {
  const { queries } = useServices();
  return async (change: (rows: readonly ItemOf<O>[]) => ItemOf<O>[], run: () => Promise<unknown>): Promise<void> => {
    const undo = await patchList(queries, operation, change);
    try {
      await run();
    } catch (error) {
      undo();
      throw error;
    } finally {
      void queries.invalidateQueries({ queryKey: [operation] });
    }
  };
}

/** The rows of a list that are shown, and the newer ones that wait until the user asks for them. */
export interface PendingRows<Row> {
  shown: readonly Row[] | undefined;
  hidden: readonly Row[];
  show: () => void;
}

const NONE_SEEN: ReadonlySet<string> = new Set();

/**
 * Hides rows that arrive above or between rows that the user has seen, so that no row moves under the pointer. Rows
 * that arrive below all seen rows are shown at once. `list` identifies the list; with another value, no row counts as
 * seen.
 */
export function usePendingRows<Row extends { id: string }>(
  list: string,
  { rows, isPrevious }: Pick<List<Row>, 'rows' | 'isPrevious'>,
): PendingRows<Row> {
  const [seen, setSeen] = useState({ list, ids: NONE_SEEN });
  const ids = seen.list === list && !isPrevious ? seen.ids : NONE_SEEN;
  const last = rows?.findLastIndex(({ id }) => ids.has(id)) ?? -1;
  const isShown = ({ id }: Row, i: number) => i > last || ids.has(id);
  const shown = rows?.filter(isShown);
  if (!isPrevious && shown?.some(({ id }) => !ids.has(id))) {
    setSeen({ list, ids: new Set([...ids, ...shown.map(({ id }) => id)]) });
  }
  const hidden = rows?.filter((row, i) => !isShown(row, i)) ?? [];
  return { shown, hidden, show: () => setSeen({ list, ids: NONE_SEEN }) };
}

export type Member = Schemas['Member'];

/** The members of the organization. Only owners and admins may read them. */
export function useMembers(): List<Member> {
  return useList('listMembers', { limit: MAX_PAGE_LIMIT });
}

/** The stored templates of a kind; undefined until they are loaded. */
export function useTemplatesOf(kind: Schemas['TemplateSummary']['kind']): Schemas['TemplateSummary'][] | undefined {
  return useList('listTemplates', { limit: MAX_PAGE_LIMIT }).rows?.filter((template) => template.kind === kind);
}
