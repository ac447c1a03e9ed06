import type { Schemas } from '@jobline/client';
import type { InvitedRole } from '@jobline/contracts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useRefetch } from '../../api/use-change.js';
import { useList, useOptimisticChange } from '../../api/use-list.js';
import { formatMoment } from '../../format/index.js';
import { StatusBadge } from '../../product/status.js';
import { useApi } from '../../services.js';
import { RadioField, TextField } from '../../shell/control-field.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { ListTable } from '../../shell/list-table.js';
import {
  actionsColumn,
  Button,
  Callout,
  type Column,
  Copy,
  Dialog,
  EmptyState,
  focusHeading,
  Panel,
  textColumn,
  timeColumn,
  toast,
} from '../../ui/index.js';
import { INVITED_ROLE_OPTIONS, ROLE_NAMES } from './model.js';

type Invite = Schemas['Invite'];
type NewInvite = Schemas['NewInvite'];

/** The invites that have not been accepted yet. */
export function InviteList() {
  const list = useList('listInvites');
  const revoke = useRevokeInvite();
  const invite = useInvite();
  const [link, setLink] = useState<NewInvite | null>(null);
  const forget = () => setLink(null);
  const renew = useMutation({
    mutationFn: async ({ email, role }: Invite) => setLink(await invite({ email, role })),
    onError: ({ message }, { email }) => toast.error(`The new link for ${email} was not created`, { detail: message }),
  });
  const actions = actionsColumn<Invite>('184px', (row) => [
    {
      verb: 'New link',
      label: `New link for ${row.email}`,
      busy: renew.isPending && renew.variables.id === row.id,
      onClick: () => renew.mutate(row),
    },
    {
      verb: 'Revoke',
      label: `Revoke the invite of ${row.email}`,
      onClick: () => {
        focusHeading(); // the row with the focused button disappears immediately
        void revoke(row);
      },
    },
  ]);
  return (
    <Panel title="Pending invites" padding="none">
      <ListTable
        list={list}
        what="invite"
        caption="Pending invites"
        columns={[...COLUMNS, actions]}
        rowId={({ email }) => email} // a new link is a new invite in the same row
        skeletonRows={2}
        empty={<EmptyState title="No pending invites." className="py-8" />}
      />
      <Dialog
        open={link !== null}
        onClose={forget}
        title="New link"
        description={`The previous link for ${link?.email} no longer works.`}
        footer={
          <Button variant="primary" onClick={forget}>
            Done
          </Button>
        }
      >
        {link && <InviteLink invite={link} />}
      </Dialog>
    </Panel>
  );
}

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

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const invite = useInvite();
  const [created, setCreated] = useState<NewInvite | null>(null);
  const form = useForm<{ email: string; role: InvitedRole }>({ defaultValues: { email: '', role: 'member' } });
  return (
    <FormDialog
      title="Invite someone"
      description="You get a link to pass on. It is valid for 72 hours."
      action="Create link"
      form={form}
      onClose={onClose}
      onSubmit={async (body) => setCreated(await invite(body))}
      result={
        created && {
          title: 'Invite link',
          body: <InviteLink invite={created} />,
          isTaken: true,
        }
      }
    >
      <TextField
        form={form}
        name="email"
        label="Email"
        type="email"
        inputMode="email"
        exact
        rules={{ required: 'Enter the email address of the person to invite.' }}
        required
      />
      <RadioField control={form.control} name="role" label="Role" options={INVITED_ROLE_OPTIONS} />
    </FormDialog>
  );
}

/** The invite link, which is shown only once, with instructions. */
function InviteLink({ invite }: { invite: NewInvite }) {
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-3 rounded-card border border-line bg-sunken p-3">
        <p className="font-mono text-mono break-all select-all">{invite.invite_url}</p>
        <Copy text={invite.invite_url} label="Copy link" className="self-start" />
      </div>
      <p className="text-body">
        Send this link to <span className="font-medium wrap-anywhere">{invite.email}</span> over a private channel. If
        this service can send emails, they also receive a link by email. Only one of the links can be used, once, until{' '}
        {formatMoment(invite.expires_at)}.
      </p>
      <Callout>The link is not shown again. If it is lost, create a new one under “Pending invites”.</Callout>
    </div>
  );
}

/** Creates an invite link. An earlier link for the same address stops working. */
function useInvite(): (invite: Pick<Invite, 'email' | 'role'>) => Promise<NewInvite> {
  const api = useApi();
  const refetch = useRefetch('listInvites');
  return async (body) => {
    const created = await api.call('createInvite', { body });
    void refetch();
    return created;
  };
}

/** Revokes an invite. Its row disappears immediately, and comes back with an error if the API fails. */
function useRevokeInvite(): (invite: Invite) => Promise<void> {
  const api = useApi();
  const change = useOptimisticChange('listInvites');
  return async ({ id, email }) => {
    try {
      await change(
        (rows) => rows.filter((row) => row.id !== id),
        () => api.call('revokeInvite', { path: { id } }),
      );
      toast.success(`The invite of ${email} is revoked`, { detail: 'Its link no longer works.' });
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      toast.error(`The invite of ${email} was not revoked`, { detail });
    }
  };
}
