import type { ApiKey, NewApiKey } from '@jobline/client';
import { useQueryClient } from '@tanstack/react-query';
import { type List, useList } from '../../api/use-list.js';
import { useApi } from '../../services.js';

export type NewKeySettings = Pick<ApiKey, 'name' | 'scopes' | 'types' | 'expires_at'>;

const LIST = 'listApiKeys';

/** The keys of the organization, newest first: all keys, or those that one user created. */
export function useKeys(createdBy: string | undefined): List<ApiKey> {
  return useList(LIST, createdBy ? { created_by: createdBy } : undefined);
}

/** Creates a key and returns it. It is not stored anywhere. */
export function useCreateKey(): (settings: NewKeySettings) => Promise<NewApiKey> {
  const api = useApi();
  const refresh = useRefresh();
  return async (body) => {
    const created = await api.keys.create(body);
    void refresh();
    return created;
  };
}

/** Replaces a key with a new one and returns the new one. It is not stored anywhere. */
export function useRotateKey(id: string): (overlapHours: number) => Promise<NewApiKey> {
  const api = useApi();
  const refresh = useRefresh();
  return async (overlapHours) => {
    const created = await api.keys.rotate(id, { overlap_hours: overlapHours });
    void refresh();
    return created;
  };
}

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: [LIST] });
}
