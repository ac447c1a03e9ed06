import type { Schemas } from '@jobline/client';
import { AUDIT_ACTIONS, AUDIT_RETENTION_DAYS, AUDIT_TEXTS, type AuditAction } from '@jobline/contracts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useList, useMembers } from '../../api/use-list.js';
import { UNKNOWN } from '../../format/index.js';
import { CreatedFilter } from '../../product/created-filter.js';
import { given } from '../../search-params.js';
import { ListTable } from '../../shell/list-table.js';
import { Button, type Column, EmptyState, type Option, Panel, Select, textColumn, timeColumn } from '../../ui/index.js';

type Entry = Schemas['AuditEntry'];

const route = getRouteApi('/app/team');
const ALL = 'all';

/** Undefined removes a filter. */
interface Change {
  action?: AuditAction | undefined;
  actor?: string | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
}

const NO_FILTERS: Change = { action: undefined, actor: undefined, created_after: undefined, created_before: undefined };

/** The audit log: changes and sign-ins. */
export function Activity() {
  const search = route.useSearch();
  const { action, actor, created_after, created_before } = search;
  const navigate = useNavigate();
  const members = useMembers().rows ?? [];
  const range = { ...(created_after && { created_after }), ...(created_before && { created_before }) };
  const list = useList('listAudit', { ...range, ...(action && { action }), ...(actor && { actor_id: actor }) });
  const show = (change: Change) =>
    void navigate({ to: '/team', search: given<typeof search>({ ...search, ...change }), replace: true });
  const people = [
    { value: ALL, label: 'Everyone' },
    ...members.map(({ id, email }) => ({ value: id, label: email })),
    ...(actor && !members.some(({ id }) => id === actor) ? [{ value: actor, label: 'A former member' }] : []),
  ];
  return (
    <Panel padding="none">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-2 px-4 py-3">
        <div className="w-full sm:w-64">
          <Select
            label="Action"
            options={ACTION_OPTIONS}
            value={action ?? ALL}
            onChange={(next) => show({ action: next === ALL ? undefined : next })}
          />
        </div>
        <div className="w-full sm:w-64">
          <Select
            label="Person"
            options={people}
            value={actor ?? ALL}
            onChange={(next) => show({ actor: next === ALL ? undefined : next })}
          />
        </div>
        <CreatedFilter label="When" range={range} onChange={show} />
        <p className="ml-auto text-meta text-muted">Kept for {AUDIT_RETENTION_DAYS} days.</p>
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
              actions={<Button onClick={() => show(NO_FILTERS)}>Clear filters</Button>}
            />
          }
        />
      </div>
    </Panel>
  );
}

const COLUMNS: Column<Entry>[] = [
  { header: 'What', card: 'title', cell: (entry) => <What entry={entry} /> },
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
      title={[AUDIT_TEXTS[action], name, more].filter(Boolean).join(' ')}
    >
      {AUDIT_TEXTS[action]}
      {name && <span className="font-medium"> {name}</span>}
      {more && <span className="text-muted"> {more}</span>}
    </span>
  );
}

/** The texts that need another form without a target, for the filter. */
const WITHOUT_TARGET: Partial<Record<AuditAction, string>> = {
  'login.failed': 'Failed to sign in',
  'member.invited': 'Invited a user',
  'invite.revoked': 'Revoked an invite',
  'invite.accepted': 'Accepted an invite',
  'member.role_changed': 'Changed a role',
  'member.removed': 'Removed a member',
  'suppression.lifted': 'Removed a suppression',
};

const ACTION_OPTIONS: readonly Option<AuditAction | 'all'>[] = [
  { value: 'all', label: 'All actions' },
  ...AUDIT_ACTIONS.map((value) => ({ value, label: WITHOUT_TARGET[value] ?? AUDIT_TEXTS[value] })),
];

/** `owner → admin`, `as member`, `jl_4fK2`. */
function detailsText({ from, to, role, ...others }: Readonly<Record<string, string>>): string {
  const words = Object.values(others);
  if (from !== undefined && to !== undefined) words.push(`${from} → ${to}`);
  if (role !== undefined) words.push(`as ${role}`);
  return words.join(' · ');
}
