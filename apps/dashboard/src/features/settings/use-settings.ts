import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Schemas, take } from '../../api/api-client.js';
import { useApi } from '../../services.js';

export type Settings = Schemas['Settings'];

const QUERY_KEY = ['/org/settings'] as const;

export function useSettings(): UseQueryResult<Settings> {
  const api = useApi();
  return useQuery({ queryKey: QUERY_KEY, queryFn: ({ signal }) => take(api.GET('/org/settings', { signal })) });
}

/** Changes only the settings that are given. Returns all settings. */
export function useChangeSettings(): (changes: Partial<Settings>) => Promise<Settings> {
  const api = useApi();
  const queries = useQueryClient();
  return async (body) => {
    const changed = await take(api.PATCH('/org/settings', { body }));
    queries.setQueryData<Settings>(QUERY_KEY, changed);
    return changed;
  };
}
