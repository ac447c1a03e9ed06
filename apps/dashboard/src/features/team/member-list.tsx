import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import { type Member, useList, useMembers } from '../../api/use-list.js';
import { formatCount, isPast } from '../../format/index.js';
import { useCan, useMe } from '../../session/use-session.js';
import { DeleteDialog } from '../../shell/confirm-dialog.js';
import { ListTable } from '../../shell/list-table.js';
import {
  actionColumn,
  Badge,
  Button,
  buttonClasses,
  Callout,
  type Column,
  IconButton,
  Panel,
  timeColumn,
} from '../../ui/index.js';
import { RoleCell } from './role-cell.js';

export function MemberList({ onInvite }: { onInvite: () => void }) {
  const { user, org } = useMe();
  const queries = useQueryClient();
  const canChange = useCan()('members');
  const list = useMembers();
  const [removing, setRemoving] = useState<Member | null>(null);
  const [removed, setRemoved] = useState<Member | null>(null);
  // It is unknown while there are more pages. The API enforces the rule anyway.
  const lastOwnerId = list.hasMore ? null : onlyOwner(list.rows ?? []);
  const columns = [emailColumn(user.id), roleColumn(lastOwnerId), JOINED];
  if (canChange) columns.push(removeColumn({ selfId: user.id, lastOwnerId, onRemove: setRemoving }));

  return (
    <div className="flex flex-col gap-4">
      {removed && <RemainingKeys member={removed} onClose={() => setRemoved(null)} />}
      <Panel padding="none">
        <ListTable list={list} what="member" caption="Members" columns={columns} skeletonRows={3} />
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

function emailColumn(selfId: string): Column<Member> {
  return {
    header: 'Email',
    card: 'title',
    cell: ({ id, email, email_verified }) => (
      <span className="flex min-w-0 items-center gap-2 max-md:flex-wrap">
        <span className="truncate font-medium" title={email}>
          {email}
        </span>
        {id === selfId && <Badge>You</Badge>}
        {!email_verified && <Badge>Unconfirmed</Badge>}
      </span>
    ),
  };
}

function roleColumn(lastOwnerId: string | null): Column<Member> {
  return {
    header: 'Role',
    width: '160px',
    cell: (member) => <RoleCell member={member} isLastOwner={member.id === lastOwnerId} />,
  };
}

const JOINED = timeColumn<Member>({ header: 'Joined', width: '128px' }, ({ joined_at }) => joined_at);

interface Removal {
  selfId: string;
  lastOwnerId: string | null;
  onRemove: (member: Member) => void;
}

function removeColumn({ selfId, lastOwnerId, onRemove }: Removal): Column<Member> {
  const action = (member: Member) => ({
    label: `Remove ${member.email}`,
    disabledReason: whyNotRemoved(member.id, selfId, lastOwnerId),
    onClick: () => onRemove(member),
  });
  return actionColumn('Remove', action, '184px');
}

function whyNotRemoved(id: string, selfId: string, lastOwnerId: string | null): string | undefined {
  if (id === lastOwnerId) return 'The last owner cannot be removed. Make another member an owner first.';
  if (id === selfId) return 'You cannot remove yourself; another owner can.';
  return undefined;
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
