import type { Schemas } from '@jobline/client';
import { AUDIT_RETENTION_DAYS, type AuditAction } from '@jobline/contracts';
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

/** The text of each action in the audit log. The target follows it. */
const ACTION_NAMES: Readonly<Record<AuditAction, string>> = {
  'organization.registered': 'Registered the organization',
  'login.succeeded': 'Signed in',
  'login.failed': 'Failed to sign in as',
  'session.switched': 'Switched to this organization',
  logout: 'Signed out',
  'password.changed': 'Changed their password',
  'password.reset': 'Reset their password',
  'member.invited': 'Invited',
  'invite.revoked': 'Revoked the invite of',
  'invite.accepted': 'Accepted the invite',
  'member.role_changed': 'Changed the role of',
  'member.removed': 'Removed',
  'api_key.created': 'Created API key',
  'api_key.changed': 'Changed API key',
  'api_key.rotated': 'Rotated API key',
  'api_key.revoked': 'Revoked API key',
  'webhook_secret.read': 'Read the webhook secret',
  'webhook_secret.rotated': 'Rotated the webhook secret',
  'webhook.created': 'Created webhook',
  'webhook.changed': 'Changed webhook',
  'webhook.deleted': 'Deleted webhook',
  'webhook.rotated': 'Rotated the secret of webhook',
  'domain.added': 'Added domain',
  'domain.verified': 'Verified domain',
  'domain.removed': 'Removed domain',
  'sender_id.added': 'Added sender ID',
  'sender_id.approved': 'Approved sender ID',
  'sender_id.removed': 'Removed sender ID',
  'secret.set': 'Set secret',
  'secret.deleted': 'Deleted secret',
  'limit.set': 'Set limit',
  'limit.deleted': 'Deleted limit',
  'settings.changed': 'Changed the settings',
  'bulk.started': 'Started the bulk action',
  'bulk.stopped': 'Stopped the bulk action',
  'schedule.created': 'Created schedule',
  'schedule.changed': 'Changed schedule',
  'schedule.paused': 'Paused schedule',
  'schedule.resumed': 'Resumed schedule',
  'schedule.deleted': 'Deleted schedule',
  'template.created': 'Created template',
  'template.replaced': 'Changed template',
  'template.removed': 'Removed template',
  'suppression.lifted': 'Removed the suppression of',
  'data.erased': 'Requested an',
};

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
  ...Object.entries(ACTION_NAMES).map(([action, name]) => {
    const value = action as AuditAction; // a key of ACTION_NAMES
    return { value, label: WITHOUT_TARGET[value] ?? name };
  }),
];

/** `owner → admin`, `as member`, `jl_4fK2`. */
function detailsText({ from, to, role, ...others }: Readonly<Record<string, string>>): string {
  const words = Object.values(others);
  if (from !== undefined && to !== undefined) words.push(`${from} → ${to}`);
  if (role !== undefined) words.push(`as ${role}`);
  return words.join(' · ');
}
