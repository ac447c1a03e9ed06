import type { Schemas } from '@jobline/client';
import { useQueryClient } from '@tanstack/react-query';
import { patchList } from '../../api/use-list.js';
import { useApi } from '../../services.js';
import { toast } from '../../ui/index.js';

export type Invite = Schemas['Invite'];
export type NewInvite = Schemas['NewInvite'];

/** Creates an invite link. An earlier link for the same address stops working. */
export function useInvite(): (invite: Pick<Invite, 'email' | 'role'>) => Promise<NewInvite> {
  const api = useApi();
  const queries = useQueryClient();
  return async (body) => {
    const created = await api.call('createInvite', { body });
    void queries.invalidateQueries({ queryKey: ['listInvites'] });
    return created;
  };
}

/** Revokes an invite. Its row disappears immediately, and comes back with an error if the API fails. */
export function useRevokeInvite(): (invite: Invite) => Promise<void> {
  const api = useApi();
  const queries = useQueryClient();
  return async (invite) => {
    const undo = await patchList(queries, 'listInvites', (rows) => rows.filter(({ id }) => id !== invite.id));
    try {
      await api.call('revokeInvite', { path: { id: invite.id } });
      toast.success(`The invite of ${invite.email} is revoked`, { detail: 'Its link no longer works.' });
    } catch (error) {
      undo();
      const detail = error instanceof Error ? error.message : String(error);
      toast.error(`The invite of ${invite.email} was not revoked`, { detail });
    } finally {
      void queries.invalidateQueries({ queryKey: ['listInvites'] });
    }
  };
}
