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

/** After a change: this list, and whoever offers domains elsewhere. */
export function refreshDomains(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: ['domains'] });
}

const FIRST_CHECKS_EVERY_MS = 30_000;
const LAST_CHECKS_EVERY_MS = 300_000;

/** Looks a pending domain's record up while its row is open: each half a minute at first, each five in the end. */
export function useDomainCheck(domain: Domain, enabled: boolean) {
  const api = useApi();
  const queries = useQueryClient();
  const [openedAt] = useState(Date.now);
  const everyMs = () => Math.min(Math.max((Date.now() - openedAt) / 2, FIRST_CHECKS_EVERY_MS), LAST_CHECKS_EVERY_MS);
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
    initialData: null, // the first look is half a minute away: a record that has just been read was not published yet
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: everyMs,
    refetchOnReconnect: false,
    retry: false,
  });
}
