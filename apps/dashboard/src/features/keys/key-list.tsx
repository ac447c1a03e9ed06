import type { Schemas } from '@jobline/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useList } from '../../api/use-list.js';
import { useMembers } from '../../api/use-members.js';
import { useApi } from '../../services.js';
import { useMe } from '../../session/use-session.js';
import { DeleteDialog } from '../../shell/delete-dialog.js';
import { ListTable } from '../../shell/list-table.js';
import {
  actionColumn,
  Button,
  type Column,
  EmptyState,
  FilterChip,
  Panel,
  textColumn,
  timeColumn,
} from '../../ui/index.js';

type Key = Schemas['ApiKey'];

const route = getRouteApi('/app/keys');

export function KeyList({ onCreate }: { onCreate: () => void }) {
  const { created_by: createdBy } = route.useSearch();
  const navigate = useNavigate();
  const list = useList('listApiKeys', createdBy ? { created_by: createdBy } : undefined);
  const ids = (list.rows ?? []).map(({ created_by }) => created_by);
  const nameOf = useCreators(createdBy ? [createdBy, ...ids] : ids);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const clear = () => void navigate({ to: '/keys', search: {}, replace: true });
  return (
    <Panel padding="none">
      {createdBy && (
        <div className="border-b border-line px-4 py-2">
          <FilterChip name="Created by" value={nameOf(createdBy)} onRemove={clear} />
        </div>
      )}
      <ListTable
        list={list}
        what="key"
        caption="API keys"
        columns={columns(nameOf, setRevoking)}
        skeletonRows={3}
        empty={
          createdBy ? (
            <EmptyState title="This user has no keys." actions={<Button onClick={clear}>Clear filters</Button>} />
          ) : (
            <EmptyState icon={<KeyRound />} title="No keys." actions={<Button onClick={onCreate}>Create key</Button>}>
              Keys can only submit and read jobs.
            </EmptyState>
          )
        }
      />
      {revoking && (
        <DeleteDialog
          from="listApiKeys"
          remove={(api) => api.keys.delete(revoking.id)}
          title={`Revoke “${revoking.name}”?`}
          verb="Revoke"
          onClose={() => setRevoking(null)}
        >
          Programs that use <span className="font-mono">{revoking.prefix}…</span> lose access within five seconds. This
          cannot be undone. Jobs that they have submitted continue.
        </DeleteDialog>
      )}
    </Panel>
  );
}

function columns(nameOf: (id: string | null) => string, onRevoke: (key: Key) => void): Column<Key>[] {
  return [
    textColumn({ header: 'Name', card: 'title', className: 'font-medium' }, ({ name }) => name),
    {
      header: 'Key',
      width: '144px',
      cell: ({ prefix }) => <span className="font-mono text-mono text-muted">{prefix}…</span>,
    },
    textColumn({ header: 'Created by', width: '24%', from: 'lg' }, ({ created_by }) => nameOf(created_by)),
    timeColumn({ header: 'Created', width: '120px', from: 'lg' }, ({ created_at }) => created_at),
    timeColumn({ header: 'Last used', width: '120px', unknown: 'never' }, ({ last_used_at }) => last_used_at),
    actionColumn('Revoke', (key) => ({ label: `Revoke ${key.name}`, onClick: () => onRevoke(key) })),
  ];
}

const MAX_AUDIT_ENTRIES = 1_000;

/**
 * Returns the names of users who created keys: the current email of members, or the email in the audit log of former
 * members.
 */
function useCreators(ids: readonly (string | null)[]): (id: string | null) => string {
  const api = useApi();
  const { user } = useMe();
  const members = useMembers().rows;
  const isMissing = members !== undefined && ids.some((id) => id !== null && !members.some((one) => one.id === id));
  const removed = useQuery({
    queryKey: ['audit', 'removed'],
    queryFn: () => api.call('listAudit', { query: { action: 'member.removed', limit: MAX_AUDIT_ENTRIES } }),
    enabled: isMissing,
  });
  return (id) => {
    if (id === null) return 'A deleted account';
    if (id === user.id) return 'You';
    const member = members?.find((one) => one.id === id);
    if (member) return member.email;
    const left = removed.data?.find(({ target }) => target?.id === id)?.target;
    if (left) return `${left.name} (removed)`;
    return isMissing && !removed.isPending ? 'A former member' : '…';
  };
}
