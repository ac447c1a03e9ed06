import type { ApiKey } from '@jobline/client';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { useRef, useState } from 'react';
import { useRowShortcuts } from '../../keyboard/use-row-shortcuts.js';
import { DeleteDialog } from '../../shell/delete-dialog.js';
import { ListTable } from '../../shell/list-table.js';
import { Button, EmptyState, FilterChip, Panel, type TableHandle } from '../../ui/index.js';
import { keyColumns } from './key-columns.js';
import { KeyDetail } from './key-detail.js';
import { RotateKey } from './rotate-key.js';
import { useCreators } from './use-creators.js';
import { useKeys } from './use-keys.js';

const route = getRouteApi('/app/keys');

export function KeyList({ onCreate }: { onCreate: () => void }) {
  const { created_by: createdBy, id: openId, rotate } = route.useSearch();
  const navigate = useNavigate();
  const list = useKeys(createdBy);
  const rows = list.rows ?? [];
  const ids = rows.map(({ created_by }) => created_by);
  const nameOf = useCreators(createdBy ? [createdBy, ...ids] : ids);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const table = useRef<TableHandle>(null);
  useRowShortcuts(table, 'API keys');
  const filter = createdBy ? { created_by: createdBy } : {};
  const shown = { ...filter, ...(openId !== undefined && { id: openId }) };
  const go = (search: object) => void navigate({ to: '/keys', search, replace: true, resetScroll: false });
  const rotated = rows.find(({ id }) => id === rotate);
  return (
    <Panel padding="none">
      {createdBy && (
        <div className="border-b border-line px-4 py-2">
          <FilterChip name="Created by" value={nameOf(createdBy)} onRemove={() => go({})} />
        </div>
      )}
      <ListTable
        ref={table}
        list={list}
        what="key"
        caption="API keys"
        columns={keyColumns({
          searchOf: ({ id }) =>
            id === openId ? { search: filter, isOpen: true } : { search: { ...filter, id }, isOpen: false },
          nameOf,
          onRotate: ({ id }) => go({ ...shown, rotate: id }),
          onRevoke: setRevoking,
        })}
        currentId={openId ?? null}
        detail={(key) => (
          <KeyDetail
            of={key}
            creator={nameOf(key.created_by)}
            replacement={rows.find(({ id }) => id === key.replaced_by)}
          />
        )}
        skeletonRows={3}
        empty={
          createdBy ? (
            <EmptyState
              title="This user has no keys."
              actions={<Button onClick={() => go({})}>Clear filters</Button>}
            />
          ) : (
            <EmptyState icon={<KeyRound />} title="No keys." actions={<Button onClick={onCreate}>Create key</Button>}>
              With a key, a program can submit and read jobs. You choose what else it may do.
            </EmptyState>
          )
        }
      />
      {rotated && <RotateKey rotated={rotated} onClose={() => go(shown)} />}
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
