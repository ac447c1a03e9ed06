import { useQuery } from '@tanstack/react-query';
import { type Schemas, takePage } from '../../api/api-client.js';
import { type List, useList } from '../../api/use-list.js';
import { useMembers } from '../../api/use-members.js';
import { useApi } from '../../services.js';
import { useMe } from '../../session/use-session.js';

export type Key = Schemas['ApiKey'];

export const KEYS_KEY = ['keys', 'list'] as const;

export function useKeys(createdBy: string | undefined): List<Key> {
  const api = useApi();
  return useList([...KEYS_KEY, { createdBy }], (cursor) =>
    takePage(
      api.GET('/org/api-keys', {
        params: { query: { ...(createdBy && { created_by: createdBy }), ...(cursor && { cursor }) } },
      }),
    ),
  );
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
    queryFn: () =>
      takePage(api.GET('/org/audit', { params: { query: { action: 'member.removed', limit: MAX_AUDIT_ENTRIES } } })),
    enabled: isMissing,
  });
  return (id) => {
    if (id === null) return 'A deleted account';
    if (id === user.id) return 'You';
    const member = members?.find((one) => one.id === id);
    if (member) return member.email;
    const left = removed.data?.items.find(({ target }) => target?.id === id)?.target;
    if (left) return `${left.name} (removed)`;
    return isMissing && !removed.isPending ? 'A former member' : '…';
  };
}
