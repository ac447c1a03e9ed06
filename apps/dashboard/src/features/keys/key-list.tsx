import type { ApiKey } from '@jobline/client';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { KeyRound, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { isPast } from '../../format/index.js';
import { DeleteDialog } from '../../shell/confirm-dialog.js';
import { ListTable, RowToggle } from '../../shell/list-table.js';
import {
  actionsColumn,
  Button,
  type Column,
  EmptyState,
  FilterChip,
  Panel,
  Time,
  TONE_TEXT,
  timeColumn,
  useNow,
} from '../../ui/index.js';
import { ChangeKey } from './change-key.js';
import { KeyDetail } from './key-detail.js';
import { scopeWords } from './model.js';
import { useCreators, useKeys } from './queries.js';
import { RotateKey } from './rotate-key.js';

const route = getRouteApi('/app/keys');

export function KeyList({ onCreate }: { onCreate: () => void }) {
  const { created_by: createdBy, id: openId, rotate, change } = route.useSearch();
  const navigate = useNavigate();
  const list = useKeys(createdBy);
  const rows = list.rows ?? [];
  const ids = rows.map(({ created_by }) => created_by);
  const nameOf = useCreators(createdBy ? [createdBy, ...ids] : ids);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const filter = createdBy ? { created_by: createdBy } : {};
  const shown = { ...filter, ...(openId !== undefined && { id: openId }) };
  const go = (search: object) => void navigate({ to: '/keys', search, replace: true, resetScroll: false });
  const changed = rows.find(({ id }) => id === change);
  const rotated = rows.find(({ id }) => id === rotate);
  return (
    <Panel padding="none">
      {createdBy && (
        <div className="border-b border-line px-4 py-2">
          <FilterChip name="Created by" value={nameOf(createdBy)} onRemove={() => go({})} />
        </div>
      )}
      <ListTable
        shortcuts="API keys"
        list={list}
        what="key"
        caption="API keys"
        columns={keyColumns({
          searchOf: ({ id }) =>
            id === openId ? { search: filter, isOpen: true } : { search: { ...filter, id }, isOpen: false },
          nameOf,
          onChange: ({ id }) => go({ ...shown, change: id }),
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
      {changed && <ChangeKey changed={changed} onClose={() => go(shown)} />}
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

interface KeyColumnsProps {
  /** The parameters of the page's address when the details of a key are open or closed. */
  searchOf: (key: ApiKey) => { search: object; isOpen: boolean };
  nameOf: (id: string | null) => string;
  onChange: (key: ApiKey) => void;
  onRotate: (key: ApiKey) => void;
  onRevoke: (key: ApiKey) => void;
}

const SHOWN_TYPES = 2;

function keyColumns({ searchOf, nameOf, onChange, onRotate, onRevoke }: KeyColumnsProps): Column<ApiKey>[] {
  return [
    {
      header: 'Name',
      card: 'title',
      cell: (key) => (
        <span className="block min-w-0 py-1.5">
          <RowToggle to="/keys" replace resetScroll={false} {...searchOf(key)}>
            {key.name}
          </RowToggle>
          <span className="block truncate pl-[22px] text-meta text-muted">
            <span className="font-mono">{key.prefix}…</span> · {nameOf(key.created_by)}
          </span>
        </span>
      ),
    },
    {
      header: 'Scopes',
      width: '232px',
      from: 'lg',
      cell: ({ scopes }) => (
        <span className="flex flex-wrap gap-x-3 py-1.5 text-meta">
          {scopeWords(scopes).map((words) => (
            <span key={words}>{words}</span>
          ))}
        </span>
      ),
    },
    { header: 'Job types', width: '176px', from: 'xl', cell: ({ types }) => <Types types={types} /> },
    { header: 'Expires', width: '160px', cell: (key) => <KeyExpiry of={key} /> },
    timeColumn({ header: 'Last used', width: '96px', from: 'xl', unknown: 'never' }, (key) => key.last_used_at),
    actionsColumn('216px', (key) => [
      !isPast(key.expires_at, Date.now()) && {
        verb: 'Change',
        label: `Change ${key.name}`,
        onClick: () => onChange(key),
      },
      key.replaced_by === null &&
        !isPast(key.expires_at, Date.now()) && {
          verb: 'Rotate',
          label: `Rotate ${key.name}`,
          onClick: () => onRotate(key),
        },
      { verb: 'Revoke', label: `Revoke ${key.name}`, onClick: () => onRevoke(key) },
    ]),
  ];
}

/** `all`, `none`, or `send_email, webhook +3`. */
function Types({ types }: Pick<ApiKey, 'types'>) {
  if (types === null || types.length === 0) return <span className="text-muted">{types ? 'none' : 'all'}</span>;
  const more = types.length - SHOWN_TYPES;
  return (
    <span title={types.join(', ')} className="flex gap-1.5 text-muted">
      <span className="truncate">{types.slice(0, SHOWN_TYPES).join(', ')}</span>
      {more > 0 && <span className="shrink-0">+{more}</span>}
    </span>
  );
}

const SOON_MS = 7 * 24 * 3_600_000;

/** When a key expires: `never`, `in 3 d` with a warning, `Expired 2 h ago`, `Replaced; ends in 23 h`. */
function KeyExpiry({ of }: { of: ApiKey }) {
  const now = useNow();
  const { expires_at: at, replaced_by: replacedBy } = of;
  if (at === null) return <span className="text-muted">never</span>;
  if (isPast(at, now)) return <Words tone="failed" before={replacedBy ? 'Replaced; ended' : 'Expired'} at={at} />;
  if (replacedBy) return <Words tone="warning" before="Replaced; ends" at={at} />;
  if (Date.parse(at) - now < SOON_MS) return <Words tone="warning" at={at} />;
  return <Time value={at} className="text-muted" />;
}

function Words({ tone, before, at }: { tone: 'warning' | 'failed'; before?: string; at: string }) {
  return (
    <span className={`inline-flex max-w-full items-center gap-1.5 ${TONE_TEXT[tone]}`}>
      <TriangleAlert aria-hidden="true" size={14} className="shrink-0" />
      <span className="min-w-0 text-wrap">
        {before} <Time value={at} />
      </span>
    </span>
  );
}
