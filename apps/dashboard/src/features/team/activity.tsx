import type { Schemas } from '@jobline/client';
import { AUDIT_RETENTION_DAYS, type AuditAction } from '@jobline/contracts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { useList } from '../../api/use-list.js';
import { UNKNOWN } from '../../format/index.js';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { ListTable } from '../../shell/list-table.js';
import { Button, type Column, EmptyState, Panel, Select, textColumn, timeColumn } from '../../ui/index.js';
import { ACTION_NAMES, ACTION_OPTIONS, detailsText } from './actions.js';

type Entry = Schemas['AuditEntry'];

const route = getRouteApi('/app/team');

/** The audit log: changes and sign-ins. */
export function Activity() {
  const { action } = route.useSearch();
  const navigate = useNavigate();
  const filter = useRef<HTMLDivElement>(null);
  const list = useList('listAudit', action && { action });
  const show = (next: AuditAction | 'all') =>
    void navigate({ to: '/team', search: { tab: 'activity', ...(next !== 'all' && { action: next }) }, replace: true });
  useShortcut({
    keys: '/',
    label: 'Filter',
    group: 'Team',
    run: () => filter.current?.querySelector('button')?.focus(),
  });
  return (
    <Panel padding="none">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3">
        <div ref={filter} className="w-full sm:w-72">
          <Select label="Action" options={ACTION_OPTIONS} value={action ?? 'all'} onChange={show} />
        </div>
        <p className="text-meta text-muted">Kept for {AUDIT_RETENTION_DAYS} days.</p>
      </div>
      <div className="border-t border-line">
        <ListTable
          list={list}
          what="entry"
          many="entries"
          caption="Activity"
          columns={COLUMNS}
          empty={
            <EmptyState
              title={`No such activity in the last ${AUDIT_RETENTION_DAYS} days.`}
              actions={<Button onClick={() => show('all')}>Clear filters</Button>}
            />
          }
        />
      </div>
    </Panel>
  );
}

const COLUMNS: Column<Entry>[] = [
  {
    header: 'What',
    card: 'title',
    cell: (entry) => <What entry={entry} />,
  },
  textColumn({ header: 'Who', width: '26%' }, ({ actor }) => actor?.email ?? 'Not signed in'),
  textColumn(
    { header: 'From', width: '136px', from: 'lg', className: 'font-mono text-mono text-muted' },
    ({ ip }) => ip ?? UNKNOWN,
  ),
  timeColumn({ header: 'When', width: '128px', card: 'end' }, ({ at }) => at),
];

function What({ entry: { action, target, actor, details } }: { entry: Entry }) {
  const name = target && target.name !== actor?.email ? target.name : null; // the actor is already in the column "Who"
  const more = detailsText(details);
  return (
    <span
      className="block wrap-anywhere max-sm:whitespace-normal sm:truncate"
      title={[ACTION_NAMES[action], name, more].filter(Boolean).join(' ')}
    >
      {ACTION_NAMES[action]}
      {name && <span className="font-medium"> {name}</span>}
      {more && <span className="text-muted"> {more}</span>}
    </span>
  );
}
