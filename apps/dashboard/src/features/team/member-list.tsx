import { useMemo, useState } from 'react';
import { type Member, useMembers } from '../../api/use-members.js';
import { useCan, useMe } from '../../session/use-session.js';
import { ListTable } from '../../shell/list-table.js';
import { Badge, Button, type Column, Panel, Time } from '../../ui/index.js';
import { RemainingKeys } from './remaining-keys.js';
import { RemoveMember } from './remove-member.js';
import { RoleCell } from './role-cell.js';

export function MemberList({ onInvite }: { onInvite: () => void }) {
  const { user } = useMe();
  const canChange = useCan()('members');
  const list = useMembers();
  const [removing, setRemoving] = useState<Member | null>(null);
  const [removed, setRemoved] = useState<Member | null>(null);
  // It is unknown while there are more pages. The API enforces the rule anyway.
  const lastOwnerId = useMemo(() => (list.hasMore ? null : onlyOwner(list.rows ?? [])), [list.hasMore, list.rows]);
  const columns = useMemo(() => {
    const shown = [emailColumn(user.id), roleColumn(lastOwnerId), JOINED];
    return canChange ? [...shown, removeColumn({ selfId: user.id, lastOwnerId, onRemove: setRemoving })] : shown;
  }, [user.id, lastOwnerId, canChange]);

  return (
    <div className="flex flex-col gap-4">
      {removed && <RemainingKeys member={removed} onClose={() => setRemoved(null)} />}
      <Panel padding="none">
        <ListTable list={list} what="member" caption="Members" columns={columns} rowId={rowId} skeletonRows={3} />
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
        <RemoveMember
          member={removing}
          onClose={() => setRemoving(null)}
          onRemoved={() => {
            setRemoved(removing);
            setRemoving(null);
          }}
        />
      )}
    </div>
  );
}

const rowId = ({ id }: Member) => id;

function onlyOwner(members: readonly Member[]): string | null {
  const owners = members.filter(({ role }) => role === 'owner');
  return owners.length === 1 ? (owners[0]?.id ?? null) : null;
}

function emailColumn(selfId: string): Column<Member> {
  return {
    id: 'email',
    header: 'Email',
    card: 'title',
    cell: ({ id, email }) => (
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate font-medium" title={email}>
          {email}
        </span>
        {id === selfId && <Badge>You</Badge>}
      </span>
    ),
  };
}

function roleColumn(lastOwnerId: string | null): Column<Member> {
  return {
    id: 'role',
    header: 'Role',
    width: '160px',
    cell: (member) => <RoleCell member={member} isLastOwner={member.id === lastOwnerId} />,
  };
}

const JOINED: Column<Member> = {
  id: 'joined',
  header: 'Joined',
  width: '128px',
  cell: ({ joined_at }) => <Time value={joined_at} className="text-muted" />,
};

interface Removal {
  selfId: string;
  lastOwnerId: string | null;
  onRemove: (member: Member) => void;
}

function removeColumn({ selfId, lastOwnerId, onRemove }: Removal): Column<Member> {
  return {
    id: 'remove',
    header: 'Remove',
    hideHeader: true,
    width: '184px',
    align: 'end',
    card: 'end',
    cell: (member) => (
      <Button
        variant="ghost"
        size="small"
        className="-mr-2.5"
        aria-label={`Remove ${member.email}`}
        disabledReason={whyNotRemoved(member.id, selfId, lastOwnerId)}
        onClick={() => onRemove(member)}
      >
        Remove
      </Button>
    ),
  };
}

function whyNotRemoved(id: string, selfId: string, lastOwnerId: string | null): string | undefined {
  if (id === lastOwnerId) return 'The last owner cannot be removed. Make another member an owner first.';
  if (id === selfId) return 'You cannot remove yourself; another owner can.';
  return undefined;
}
