import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { useMembers } from '../../api/use-list.js';
import { PrimaryAction } from '../../keyboard/primary-action.js';
import { useCan } from '../../session/use-session.js';
import { Page } from '../../shell/page-frame.js';
import { Tabs } from '../../ui/index.js';
import { Activity } from './activity.js';
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
      actions={
        can('invites') && (
          <PrimaryAction label="Invite" group="Team" icon={<UserPlus aria-hidden="true" />} run={openInvite} />
        )
      }
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
