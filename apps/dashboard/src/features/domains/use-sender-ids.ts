import type { QueryClient } from '@tanstack/react-query';
import { type Schemas, takePage } from '../../api/api-client.js';
import { type List, useList } from '../../api/use-list.js';
import { useApi } from '../../services.js';

export type SenderId = Schemas['SenderId'];

export function useSenderIds(): List<SenderId> {
  const api = useApi();
  return useList(['sender-ids', 'list'], (cursor) =>
    takePage(api.GET('/org/sender-ids', { params: { query: cursor ? { cursor } : {} } })),
  );
}

/** Refetches all queries about sender IDs, on this page and others. Call it after a change. */
export function refreshSenderIds(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: ['sender-ids'] });
}
