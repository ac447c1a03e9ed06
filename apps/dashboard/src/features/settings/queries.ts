import type { Schemas, Settings } from '@jobline/client';
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../services.js';
import { toast } from '../../ui/index.js';

const QUERY_KEY = ['getSettings'] as const;

export function useSettings(): UseQueryResult<Settings> {
  const api = useApi();
  return useQuery({ queryKey: QUERY_KEY, queryFn: ({ signal }) => api.settings.get({ signal }) });
}

const ALERTS_EVERY_MS = 15_000;

/** The latest alerts, the open ones first. */
export function useAlerts(): UseQueryResult<Schemas['Alert'][]> {
  const api = useApi();
  return useQuery({
    queryKey: ['listAlerts'],
    queryFn: ({ signal }) => api.settings.alerts({ signal }),
    refetchInterval: ALERTS_EVERY_MS,
  });
}

/** Sends a test alert. The result says who gets it. */
export function useTestAlerts() {
  const api = useApi();
  return useMutation({
    mutationFn: () => api.settings.testAlerts(),
    onError: ({ message }) => toast.error(message),
  });
}

/** Changes only the settings that are given. Returns all settings. */
export function useChangeSettings(): (changes: Partial<Settings>) => Promise<Settings> {
  const api = useApi();
  const queries = useQueryClient();
  return async (body) => {
    const changed = await api.settings.update(body);
    queries.setQueryData<Settings>(QUERY_KEY, changed);
    return changed;
  };
}
