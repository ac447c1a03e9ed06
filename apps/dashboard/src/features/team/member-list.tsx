import type { Role } from '@jobline/contracts';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import { type Member, useList, useMembers, useOptimisticChange } from '../../api/use-list.js';
import { formatCount, isPast } from '../../format/index.js';
import { useServices } from '../../services.js';
import { useCan, useMe } from '../../session/use-session.js';
import { ConfirmDialog, DeleteDialog } from '../../shell/confirm-dialog.js';
import { ListTable } from '../../shell/list-table.js';
import {
  actionColumn,
  announce,
  Badge,
  Button,
  buttonClasses,
  Callout,
  type Column,
  IconButton,
  Panel,
  Select,
  Tooltip,
  timeColumn,
  toast,
} from '../../ui/index.js';
import { A_ROLE, ROLE_NAMES, ROLE_OPTIONS } from './model.js';

export function MemberList({ onInvite }: { onInvite: () => void }) {
  const { user, org } = useMe();
  const { queries } = useServices();
  const canChange = useCan()('members');
  const list = useMembers();
  const [removing, setRemoving] = useState<Member | null>(null);
  const [removed, setRemoved] = useState<Member | null>(null);
  // It is unknown while there are more pages. The API enforces the rule anyway.
  const lastOwnerId = list.hasMore ? null : onlyOwner(list.rows ?? []);
  const columns: Column<Member>[] = [
    {
      header: 'Email',
      card: 'title',
      cell: ({ id, email, email_verified }) => (
        <span className="flex min-w-0 items-center gap-2 max-md:flex-wrap">
          <span className="truncate font-medium" title={email}>
            {email}
          </span>
          {id === user.id && <Badge>You</Badge>}
          {!email_verified && <Badge>Unconfirmed</Badge>}
        </span>
      ),
    },
    {
      header: 'Role',
      width: '160px',
      cell: (member) => <RoleCell member={member} isLastOwner={member.id === lastOwnerId} />,
    },
    timeColumn({ header: 'Joined', width: '128px' }, ({ joined_at }) => joined_at),
  ];
  const whyNot = ({ id }: Member) => {
    if (id === lastOwnerId) return 'The last owner cannot be removed. Make another member an owner first.';
    return id === user.id ? 'You cannot remove yourself; another owner can.' : undefined;
  };
  const removeColumn = actionColumn<Member>(
    'Remove',
    (member) => ({
      verb: 'Remove',
      label: `Remove ${member.email}`,
      disabledReason: whyNot(member),
      onClick: () => setRemoving(member),
    }),
    '184px',
  );

  return (
    <div className="flex flex-col gap-4">
      {removed && <RemainingKeys member={removed} onClose={() => setRemoved(null)} />}
      <Panel padding="none">
        <ListTable
          list={list}
          what="member"
          caption="Members"
          columns={canChange ? [...columns, removeColumn] : columns}
        />
        {canChange && list.rows?.length === 1 && (
          <p className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line px-4 py-3 text-body text-muted">
            You are the only member. Invite someone; links are valid for 72 hours.
            <Button size="small" onClick={onInvite}>
              Invite someone
            </Button>
          </p>
        )}
      </Panel>
      {removing && (
        <DeleteDialog
          from="listMembers"
          remove={(api) => api.call('removeMember', { path: { id: removing.id } })}
          title={`Remove ${removing.email}?`}
          onClose={() => setRemoving(null)}
          onDeleted={() => {
            // The API has also revoked the invites that they created.
            void queries.invalidateQueries({ queryKey: ['listInvites'] });
            setRemoved(removing);
            setRemoving(null);
          }}
        >
          They are signed out of {org.name} within five seconds, and the invites that they created are revoked. API keys
          that they created keep working until you revoke them.
        </DeleteDialog>
      )}
    </div>
  );
}

function onlyOwner(members: readonly Member[]): string | null {
  const owners = members.filter(({ role }) => role === 'owner');
  return owners.length === 1 ? (owners[0]?.id ?? null) : null;
}

/** The role of a member, which owners can change. The new role is shown at once, and undone if the API fails. */
function RoleCell({ member, isLastOwner }: { member: Member; isLastOwner: boolean }) {
  const { user } = useMe();
  const canChange = useCan()('members');
  const change = useRoleChange(member);
  const [stepDownTo, setStepDownTo] = useState<Role | null>(null);
  if (!canChange) return <>{ROLE_NAMES[member.role]}</>;
  if (isLastOwner) {
    return (
      <Tooltip content="The last owner keeps the role. Make another member an owner first.">
        <button type="button" aria-disabled="true" className="hit cursor-default! px-2 text-mono text-muted">
          {ROLE_NAMES[member.role]}
          <span className="sr-only">: the last owner keeps the role. Make another member an owner first.</span>
        </button>
      </Tooltip>
    );
  }
  const pick = (role: Role) => {
    if (role === member.role) return;
    if (member.id === user.id) setStepDownTo(role);
    else change(role).catch(() => undefined); // `change` has shown the error
  };
  return (
    <>
      <Select
        size="small"
        label={`Role of ${member.email}`}
        options={ROLE_OPTIONS}
        value={member.role}
        onChange={pick}
        className="min-w-26!"
      />
      {stepDownTo && (
        <ConfirmDialog
          title={`Become ${A_ROLE[stepDownTo]}?`}
          verb="Give up ownership"
          run={() => change(stepDownTo)}
          onClose={() => setStepDownTo(null)}
        >
          You would no longer be able to change the team or your own role. Another owner could make you an owner again.
        </ConfirmDialog>
      )}
    </>
  );
}

function useRoleChange(member: Member): (role: Role) => Promise<void> {
  const { api, queries } = useServices();
  const isSelf = member.id === useMe().user.id;
  const change = useOptimisticChange('listMembers');
  return async (role) => {
    // The page depends on the user's own role, so this role is not shown before the API has changed it.
    const isShown = ({ id }: Member) => id === member.id && !isSelf;
    try {
      await change(
        (rows) => rows.map((row) => (isShown(row) ? { ...row, role } : row)),
        () => api.call('changeRole', { path: { id: member.id }, body: { role } }),
      );
      announce(`${member.email} is now ${A_ROLE[role]}`);
      if (isSelf) await queries.invalidateQueries({ queryKey: ['me'] });
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      if (!isSelf) toast.error(`${member.email} is still ${A_ROLE[member.role]}`, { detail });
      throw error;
    }
  };
}

/** Shown after a member was removed: the API keys that the member created and that still work. */
function RemainingKeys({ member, onClose }: { member: Member; onClose: () => void }) {
  const { rows, hasMore, error } = useList('listApiKeys', { created_by: member.id });
  const count = rows?.filter((key) => !isPast(key.expires_at, Date.now())).length ?? 0;
  return (
    <Callout
      role="status"
      tone={count > 0 ? 'warning' : 'info'}
      title={`${member.email} is removed`}
      actions={
        <>
          {(count > 0 || error) && (
            <Link to="/keys" search={{ created_by: member.id }} className={buttonClasses('secondary', 'small')}>
              Review keys
            </Link>
          )}
          <IconButton label="Dismiss" icon={<X />} size="small" onClick={onClose} />
        </>
      }
    >
      {!rows &&
        (error ? 'API keys that they created, if any, still work.' : 'Checking the API keys that they created…')}
      {rows && count === 0 && 'They created no API keys, so they have no access left.'}
      {count > 0 &&
        `${hasMore ? 'More than 100 API keys' : formatCount(count, 'API key')} that they created still ${count === 1 ? 'works' : 'work'}.`}
    </Callout>
  );
}
