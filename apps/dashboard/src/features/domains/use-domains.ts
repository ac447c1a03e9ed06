import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Schemas, take, takePage } from '../../api/api-client.js';
import { type List, patchList, useList } from '../../api/use-list.js';
import { useApi } from '../../services.js';
import { announce } from '../../ui/index.js';

export type Domain = Schemas['Domain'];

export const DOMAINS_KEY = ['domains', 'list'] as const;

export function useDomains(): List<Domain> {
  const api = useApi();
  return useList(DOMAINS_KEY, (cursor) =>
    takePage(api.GET('/org/domains', { params: { query: cursor ? { cursor } : {} } })),
  );
}

/** Refetches all queries about domains, on this page and others. Call it after a change. */
export function refreshDomains(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: ['domains'] });
}

const MIN_CHECK_INTERVAL_MS = 30_000;
const MAX_CHECK_INTERVAL_MS = 300_000;

/** Checks the DNS record of a pending domain while its row is open: every 30 s at first, at most every 5 min later. */
export function useDomainCheck(domain: Domain, enabled: boolean) {
  const api = useApi();
  const queries = useQueryClient();
  const [openedAt] = useState(Date.now);
  const intervalMs = () =>
    Math.min(Math.max((Date.now() - openedAt) / 2, MIN_CHECK_INTERVAL_MS), MAX_CHECK_INTERVAL_MS);
  return useQuery({
    queryKey: ['domain-check', domain.id],
    queryFn: async () => {
      const checked = await take(api.POST('/org/domains/{id}/verify', { params: { path: { id: domain.id } } }));
      const { reason, ...now } = checked;
      if (reason !== null) return { reason };
      announce(`${now.domain} is verified`);
      await patchList<Domain>(queries, DOMAINS_KEY, (rows) => rows.map((row) => (row.id === now.id ? now : row)));
      void refreshDomains(queries);
      return { reason };
    },
    enabled: enabled && domain.status === 'pending',
    initialData: null, // the first check runs after 30 s, because the user has not published the record yet
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: intervalMs,
    refetchOnReconnect: false,
    retry: false,
  });
}
