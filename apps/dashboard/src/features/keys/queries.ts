import { useQuery } from '@tanstack/react-query';
import { useMembers } from '../../api/use-list.js';
import { useApi } from '../../services.js';
import { useMe } from '../../session/use-session.js';

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
