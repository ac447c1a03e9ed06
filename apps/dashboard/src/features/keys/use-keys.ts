import { useQueryClient } from '@tanstack/react-query';
import { type Schemas, take } from '../../api/api-client.js';
import { type List, useList } from '../../api/use-list.js';
import { useApi } from '../../services.js';

export type Key = Schemas['ApiKey'];
export type NewKey = Schemas['NewApiKey'];
export type NewKeySettings = Pick<Key, 'name' | 'scopes' | 'types' | 'expires_at'>;

const PATH = '/org/api-keys';

/** The keys of the organization, newest first: all keys, or those that one user created. */
export function useKeys(createdBy: string | undefined): List<Key> {
  return useList(PATH, createdBy ? { created_by: createdBy } : undefined);
}

/** Creates a key and returns it. It is not stored anywhere. */
export function useCreateKey(): (settings: NewKeySettings) => Promise<NewKey> {
  const api = useApi();
  const refresh = useRefresh();
  return async (body) => {
    const created = await take(api.POST(PATH, { body }));
    void refresh();
    return created;
  };
}

/** Replaces a key with a new one and returns the new one. It is not stored anywhere. */
export function useRotateKey(id: string): (overlapHours: number) => Promise<NewKey> {
  const api = useApi();
  const refresh = useRefresh();
  return async (overlapHours) => {
    const body = { overlap_hours: overlapHours };
    const created = await take(api.POST('/org/api-keys/{id}/rotate', { params: { path: { id } }, body }));
    void refresh();
    return created;
  };
}

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: [PATH] });
}
