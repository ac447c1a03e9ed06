import { useQueryClient } from '@tanstack/react-query';
import { take } from '../../api/api-client.js';
import { MEMBERS_KEY, type Member } from '../../api/use-members.js';
import { useApi } from '../../services.js';
import { useMe } from '../../session/use-session.js';
import { ConfirmDialog } from '../../shell/confirm-dialog.js';

export interface RemoveMemberProps {
  member: Member;
  onClose: () => void;
  onRemoved: () => void;
}

export function RemoveMember({ member, onClose, onRemoved }: RemoveMemberProps) {
  const api = useApi();
  const queries = useQueryClient();
  const { org } = useMe();
  return (
    <ConfirmDialog
      title={`Remove ${member.email}?`}
      verb="Remove"
      run={async () => {
        await take(api.DELETE('/org/members/{id}', { params: { path: { id: member.id } } }));
        // The API has also revoked the invites that they created.
        void queries.invalidateQueries({ queryKey: ['invites'] });
        await queries.invalidateQueries({ queryKey: MEMBERS_KEY });
      }}
      onDone={onRemoved}
      onClose={onClose}
    >
      They are signed out of {org.name} within five seconds, and the invites that they created are revoked. API keys
      that they created keep working until you revoke them.
    </ConfirmDialog>
  );
}
