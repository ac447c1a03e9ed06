import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type Schemas, take, takePage } from '../../api/api-client.js';
import { pollFirstPages } from '../../api/poll-first-pages.js';
import { awaitsReport } from '../../product/message/sandbox.js';
import { useApi } from '../../services.js';

export type Text = Schemas['Sms'];
export type TextDetail = Schemas['SmsDetail'];
export type TextStatus = Text['status'];

export const PAGE_SIZE = 50;
/** Reports come when the carriers send them: neither list nor text has a stream. */
const LIST_EVERY_MS = 15_000;
const TEXT_EVERY_MS = 5_000;

/** What was sent, by jobs or directly, newest first, a page at a time. */
export function useTexts(status: TextStatus | undefined) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ['texts', status ?? 'all'],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE_SIZE, ...(status && { status }), ...(pageParam && { cursor: pageParam }) };
      return takePage(api.GET('/sms/messages', { params: { query }, signal }));
    },
    initialPageParam: undefined as string | undefined, // of later pages: the cursor
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: pollFirstPages(LIST_EVERY_MS),
  });
}

/** One text with what its carrier told; asked for again while more may come. */
export function useText(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['text', id],
    queryFn: ({ signal }) => take(api.GET('/sms/messages/{id}', { params: { path: { id } }, signal })),
    placeholderData: () => undefined, // another text is no earlier form of this one
    refetchInterval: ({ state: { data } }) => (data && awaitsReport(data) ? TEXT_EVERY_MS : false),
  });
}
