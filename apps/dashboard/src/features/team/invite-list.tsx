import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useList } from '../../api/use-list.js';
import { StatusBadge } from '../../product/status-badge.js';
import { ListTable } from '../../shell/list-table.js';
import {
  Button,
  type Column,
  Dialog,
  EmptyState,
  focusHeading,
  Panel,
  textColumn,
  timeColumn,
  toast,
} from '../../ui/index.js';
import { InviteLink } from './invite-link.js';
import { ROLE_NAMES } from './roles.js';
import { type Invite, type NewInvite, useInvite, useRevokeInvite } from './use-invites.js';

/** The invites that have not been accepted yet. */
export function InviteList() {
  const list = useList('listInvites');
  const revoke = useRevokeInvite();
  const invite = useInvite();
  const [link, setLink] = useState<NewInvite | null>(null);
  const renew = useMutation({
    mutationFn: async ({ email, role }: Invite) => setLink(await invite({ email, role })),
    onError: ({ message }, { email }) => toast.error(`The new link for ${email} was not created`, { detail: message }),
  });
  const actions = actionsColumn(renew.isPending ? renew.variables.id : null, renew.mutate, (row) => {
    focusHeading(); // the row with the focused button disappears immediately
    void revoke(row);
  });
  return (
    <Panel title="Pending invites" padding="none">
      <ListTable
        list={list}
        what="invite"
        caption="Pending invites"
        columns={[...COLUMNS, actions]}
        rowId={rowId}
        skeletonRows={2}
        empty={<EmptyState title="No pending invites." className="py-8" />}
      />
      <Dialog
        open={link !== null}
        onOpenChange={(open) => !open && setLink(null)}
        title="New link"
        description={`The previous link for ${link?.email} no longer works.`}
        footer={
          <Button variant="primary" onClick={() => setLink(null)}>
            Done
          </Button>
        }
      >
        {link && <InviteLink invite={link} />}
      </Dialog>
    </Panel>
  );
}

const rowId = ({ email }: Invite) => email; // a new link is a new invite in the same row

/** The columns have the same widths as those of the members above, so that the roles are aligned. */
const COLUMNS: Column<Invite>[] = [
  textColumn({ header: 'Email', card: 'title', className: 'font-medium' }, ({ email }) => email),
  {
    header: 'Status',
    width: '112px',
    from: 'lg',
    card: 'end',
    cell: ({ expires_at }) => (
      <StatusBadge kind="invite" status={Date.parse(expires_at) > Date.now() ? 'pending' : 'expired'} />
    ),
  },
  { header: 'Role', width: '160px', cell: ({ role }) => ROLE_NAMES[role] },
  timeColumn({ header: 'Expires', width: '128px' }, ({ expires_at }) => expires_at),
];

function actionsColumn(
  renewing: string | null,
  onRenew: (invite: Invite) => void,
  onRevoke: (invite: Invite) => void,
): Column<Invite> {
  return {
    header: 'Actions',
    hideHeader: true,
    width: '184px',
    align: 'end',
    cell: (invite) => (
      <span className="-mr-2.5 inline-flex items-center gap-1 max-sm:-ml-2.5">
        <Button
          variant="ghost"
          size="small"
          aria-label={`New link for ${invite.email}`}
          busy={renewing === invite.id}
          onClick={() => onRenew(invite)}
        >
          New link
        </Button>
        <Button
          variant="ghost"
          size="small"
          aria-label={`Revoke the invite of ${invite.email}`}
          onClick={() => onRevoke(invite)}
        >
          Revoke
        </Button>
      </span>
    ),
  };
}
