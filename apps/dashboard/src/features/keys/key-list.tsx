import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { ListTable } from '../../shell/list-table.js';
import { Button, type Column, EmptyState, FilterChip, Panel, Time } from '../../ui/index.js';
import { RevokeKey } from './revoke-key.js';
import { type Key, useCreators, useKeys } from './use-keys.js';

const route = getRouteApi('/app/keys');

export function KeyList({ onCreate }: { onCreate: () => void }) {
  const { created_by: createdBy } = route.useSearch();
  const navigate = useNavigate();
  const list = useKeys(createdBy);
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
        rowId={rowId}
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
      {revoking && <RevokeKey apiKey={revoking} onClose={() => setRevoking(null)} />}
    </Panel>
  );
}

const rowId = ({ id }: Key) => id;

function columns(nameOf: (id: string | null) => string, onRevoke: (key: Key) => void): Column<Key>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      card: 'title',
      cell: ({ name }) => (
        <span className="block truncate font-medium" title={name}>
          {name}
        </span>
      ),
    },
    {
      id: 'prefix',
      header: 'Key',
      width: '144px',
      cell: ({ prefix }) => <span className="font-mono text-mono text-muted">{prefix}…</span>,
    },
    {
      id: 'creator',
      header: 'Created by',
      width: '24%',
      from: 'lg',
      cell: ({ created_by }) => (
        <span className="block truncate" title={nameOf(created_by)}>
          {nameOf(created_by)}
        </span>
      ),
    },
    {
      id: 'created',
      header: 'Created',
      width: '120px',
      from: 'lg',
      cell: ({ created_at }) => <Time value={created_at} className="text-muted" />,
    },
    {
      id: 'used',
      header: 'Last used',
      width: '120px',
      cell: ({ last_used_at }) => <Time value={last_used_at} unknown="never" className="text-muted" />,
    },
    {
      id: 'revoke',
      header: 'Revoke',
      hideHeader: true,
      width: '112px',
      align: 'end',
      card: 'end',
      cell: (key) => (
        <Button
          variant="ghost"
          size="small"
          className="-mr-2.5"
          aria-label={`Revoke ${key.name}`}
          onClick={() => onRevoke(key)}
        >
          Revoke
        </Button>
      ),
    },
  ];
}
