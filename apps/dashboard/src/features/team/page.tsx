import type { Schemas } from '@jobline/client';
import { AUDIT_ACTIONS, AUDIT_RETENTION_DAYS, AUDIT_TEXTS, type AuditAction } from '@jobline/contracts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { useList, useMembers } from '../../api/use-list.js';
import { UNKNOWN } from '../../format/index.js';
import { PrimaryAction } from '../../keyboard/primary-action.js';
import { CreatedFilter } from '../../product/created-filter.js';
import { type Change, given } from '../../search-params.js';
import { useCan } from '../../session/use-session.js';
import { ListTable } from '../../shell/list-table.js';
import { Page } from '../../shell/page-frame.js';
import { Button, type Column, EmptyState, Panel, Select, Tabs, textColumn, timeColumn } from '../../ui/index.js';
import { InviteDialog, InviteList } from './invites.js';
import { MemberList } from './member-list.js';

const route = getRouteApi('/app/team');

export function TeamPage() {
  const { tab = 'members', invite } = route.useSearch();
  const navigate = useNavigate();
  const can = useCan();
  const go = (search: { invite?: 1; tab?: 'activity' }) => void navigate({ to: '/team', search, replace: true });
  const openInvite = () => go({ invite: 1 });

  return (
    <Page
      title="Team"
      description={can('members') ? 'Who can do what in your organization.' : <WhoCanChange />}
      actions={can('invites') && <PrimaryAction label="Invite" group="Team" icon={<UserPlus />} run={openInvite} />}
    >
      <Tabs
        label="Team"
        manual
        value={tab}
        onChange={(next) => go(next === 'activity' ? { tab: next } : {})}
        tabs={[
          {
            value: 'members',
            label: 'Members',
            content: (
              <div className="flex flex-col gap-6">
                <MemberList onInvite={openInvite} />
                {can('invites') && <InviteList />}
              </div>
            ),
          },
          { value: 'activity', label: 'Activity', content: <Activity /> },
        ]}
      />
      {invite && can('invites') && <InviteDialog onClose={() => go({})} />}
    </Page>
  );
}

const NAMED_OWNERS = 3;

/** For users who cannot change the team: whom to ask. */
function WhoCanChange() {
  const owners = useMembers().rows?.filter(({ role }) => role === 'owner') ?? [];
  const named = owners.slice(0, NAMED_OWNERS).map(({ email }) => email);
  return (
    <span className="wrap-anywhere">
      Only owners can invite people, change roles and remove members{named.length > 0 && `: ask ${named.join(' or ')}`}.
    </span>
  );
}

type Entry = Schemas['AuditEntry'];

const ALL = 'all';

type Search = ReturnType<typeof route.useSearch>;

/** The audit log: changes and sign-ins. */
function Activity() {
  const search = route.useSearch();
  const { action, actor, created_after, created_before } = search;
  const navigate = useNavigate();
  const members = useMembers().rows ?? [];
  const range = { ...(created_after && { created_after }), ...(created_before && { created_before }) };
  const list = useList('listAudit', { ...range, ...(action && { action }), ...(actor && { actor_id: actor }) });
  const go = (shown: Search) => void navigate({ to: '/team', search: shown, replace: true });
  const show = (change: Change<Search>) => go(given<Search>({ ...search, ...change }));
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
          skeletonRows={8}
          columns={COLUMNS}
          empty={
            <EmptyState
              title={`No such activity in the last ${AUDIT_RETENTION_DAYS} days.`}
              actions={<Button onClick={() => go({ tab: 'activity' })}>Clear filters</Button>}
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

const ACTION_OPTIONS = [
  { value: ALL, label: 'All actions' },
  ...AUDIT_ACTIONS.map((value) => ({ value, label: WITHOUT_TARGET[value] ?? AUDIT_TEXTS[value] })),
] as const;

/** `owner → admin`, `as member`, `jl_4fK2`. */
function detailsText({ from, to, role, ...others }: Readonly<Record<string, string>>): string {
  const words = Object.values(others);
  if (from !== undefined && to !== undefined) words.push(`${from} → ${to}`);
  if (role !== undefined) words.push(`as ${role}`);
  return words.join(' · ');
}
