import type { ApiKey, NewApiKey } from '@jobline/client';
import { useQuery } from '@tanstack/react-query';
import { useRefetch } from '../../api/use-change.js';
import { type List, useList, useMembers } from '../../api/use-list.js';
import { useApi } from '../../services.js';
import { useMe } from '../../session/use-session.js';

export type NewKeySettings = Pick<ApiKey, 'name' | 'scopes' | 'types' | 'expires_at'>;

const LIST = 'listApiKeys';

/** The keys of the organization, newest first: all keys, or those that one user created. */
export function useKeys(createdBy: string | undefined): List<ApiKey> {
  return useList(LIST, createdBy ? { created_by: createdBy } : undefined);
}

/** Creates a key and returns it. It is not stored anywhere. */
export function useCreateKey(): (settings: NewKeySettings) => Promise<NewApiKey> {
  const api = useApi();
  const refetch = useRefetch(LIST);
  return async (body) => {
    const created = await api.keys.create(body);
    void refetch();
    return created;
  };
}

/** Changes a key. Without changes, it does nothing. */
export function useChangeKey(id: string): (changes: Partial<NewKeySettings>) => Promise<void> {
  const api = useApi();
  const refetch = useRefetch(LIST);
  return async (changes) => {
    if (Object.keys(changes).length === 0) return;
    await api.keys.change(id, changes);
    void refetch();
  };
}

/** Replaces a key with a new one and returns the new one. It is not stored anywhere. */
export function useRotateKey(id: string): (overlapHours: number) => Promise<NewApiKey> {
  const api = useApi();
  const refetch = useRefetch(LIST);
  return async (overlapHours) => {
    const created = await api.keys.rotate(id, { overlap_hours: overlapHours });
    void refetch();
    return created;
  };
}

const MAX_AUDIT_ENTRIES = 1_000;

/**
 * Returns the names of users who created keys: the current email of members, or the email in the audit log of former
 * members.
 */
export function useCreators(ids: readonly (string | null)[]): (id: string | null) => string {
  const api = useApi();
  const { user } = useMe();
  const members = useMembers().rows;
  const isMissing = members !== undefined && ids.some((id) => id !== null && !members.some((one) => one.id === id));
  const removed = useQuery({
    queryKey: ['audit', 'removed'],
    queryFn: ({ signal }) =>
      api.page('listAudit', { query: { action: 'member.removed', limit: MAX_AUDIT_ENTRIES } }, { signal }),
    enabled: isMissing,
  });
  return (id) => {
    if (id === null) return 'A deleted account';
    if (id === user.id) return 'You';
    const member = members?.find((one) => one.id === id);
    if (member) return member.email;
    const left = removed.data?.data.find(({ target }) => target?.id === id)?.target;
    if (left) return `${left.name} (removed)`;
    return isMissing && !removed.isPending ? 'A former member' : '…';
  };
}
