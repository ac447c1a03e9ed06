import { useMemo, useState } from 'react';
import { StatusBadge } from '../../product/status-badge.js';
import { ListTable } from '../../shell/list-table.js';
import { Button, type Column, Dialog, EmptyState, focusHeading, Panel, Time, toast } from '../../ui/index.js';
import { InviteLink } from './invite-link.js';
import { ROLE_NAMES } from './roles.js';
import { type Invite, type NewInvite, useInvite, useInvites, useRevokeInvite } from './use-invites.js';

/** The invites that have not been accepted yet. */
export function InviteList() {
  const list = useInvites();
  const revoke = useRevokeInvite();
  const invite = useInvite();
  const [renewing, setRenewing] = useState<string | null>(null);
  const [link, setLink] = useState<NewInvite | null>(null);
  const columns = useMemo(() => {
    const renew = async ({ id, email, role }: Invite) => {
      setRenewing(id);
      try {
        setLink(await invite({ email, role }));
      } catch (error) {
        toast.error(`The new link for ${email} was not created`, {
          detail: error instanceof Error ? error.message : String(error),
        });
      } finally {
        setRenewing(null);
      }
    };
    return [
      ...COLUMNS,
      actionsColumn(
        renewing,
        (row) => void renew(row),
        (row) => {
          focusHeading(); // the row with the focused button disappears immediately
          void revoke(row);
        },
      ),
    ];
  }, [renewing, invite, revoke]);
  return (
    <Panel title="Pending invites" padding="none">
      <ListTable
        list={list}
        what="invite"
        caption="Pending invites"
        columns={columns}
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
  {
    id: 'email',
    header: 'Email',
    card: 'title',
    cell: ({ email }) => (
      <span className="block truncate font-medium" title={email}>
        {email}
      </span>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: '112px',
    from: 'lg',
    card: 'end',
    cell: ({ expires_at }) => (
      <StatusBadge kind="invite" status={Date.parse(expires_at) > Date.now() ? 'pending' : 'expired'} />
    ),
  },
  { id: 'role', header: 'Role', width: '160px', cell: ({ role }) => ROLE_NAMES[role] },
  {
    id: 'expires',
    header: 'Expires',
    width: '128px',
    cell: ({ expires_at }) => <Time value={expires_at} className="text-muted" />,
  },
];

function actionsColumn(
  renewing: string | null,
  onRenew: (invite: Invite) => void,
  onRevoke: (invite: Invite) => void,
): Column<Invite> {
  return {
    id: 'actions',
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
