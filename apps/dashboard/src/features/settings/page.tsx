import { useQuery } from '@tanstack/react-query';
import { useMembers } from '../../api/use-list.js';
import { useApi } from '../../services.js';
import { useCan, useMe } from '../../session/use-session.js';
import { LoadError } from '../../shell/load-error.js';
import { Page } from '../../shell/page-frame.js';
import { SendLinkButton } from '../../shell/send-link-button.js';
import { Callout, Panel, Skeleton, StaleNote } from '../../ui/index.js';
import { AlertsSection, RaisedAlerts } from './alerts.js';
import { RedactionSection, RetentionSection, UnknownTypesSection } from './job-sections.js';
import { SETTINGS_KEY } from './settings-section.js';

export function SettingsPage() {
  const api = useApi();
  const settings = useQuery({ queryKey: SETTINGS_KEY, queryFn: ({ signal }) => api.settings.get({ signal }) });
  const can = useCan();
  const canChange = can('settings');
  const { data, error } = settings;
  return (
    <Page
      title="Settings"
      description={
        canChange
          ? 'These settings apply to all members and jobs of the organization. Each section is saved by itself.'
          : 'These settings apply to all members and jobs of the organization. Owners and admins can change them.'
      }
    >
      <div className="flex max-w-3xl flex-col gap-6">
        {can('read_members') && <UnverifiedAddresses />}
        {data && error && <StaleNote asOf={settings.dataUpdatedAt} onRetry={() => void settings.refetch()} />}
        {data ? (
          <>
            <RetentionSection settings={data} />
            <RedactionSection settings={data} />
            <UnknownTypesSection settings={data} />
            <AlertsSection settings={data} />
            {canChange && <RaisedAlerts saved={data.alerts} />}
          </>
        ) : (
          <Panel>
            {error ? (
              <LoadError of={settings} what="The settings" />
            ) : (
              <div role="status" aria-label="Loading the settings" className="flex flex-col gap-6 py-2">
                <Skeleton className="w-1/3" />
                <Skeleton className="h-9 w-2/3" />
                <Skeleton className="h-9 w-2/3" />
              </div>
            )}
          </Panel>
        )}
      </div>
    </Page>
  );
}

const NAMED = 5;

/** Whose addresses are not verified: these owners and admins get no details of alerts and disabled webhooks by email. */
function UnverifiedAddresses() {
  const { user } = useMe();
  const unverified = (useMembers().rows ?? []).filter(
    ({ role, email_verified }) => role !== 'member' && !email_verified,
  );
  const others = unverified.filter(({ id }) => id !== user.id).map(({ email }) => email);
  const more = others.length - NAMED;
  return (
    <>
      {unverified.length > others.length && (
        <Callout tone="warning" title="Your email address is not confirmed">
          <div className="flex flex-col items-start gap-3">
            <p className="wrap-anywhere">
              No details of alerts and disabled webhooks are sent to {user.email}. Open the link that was emailed to
              you, or request another one: at most one a day.
            </p>
            <SendLinkButton />
          </div>
        </Callout>
      )}
      {others.length > 0 && (
        <Callout tone="warning" title="Owners and admins without a confirmed address">
          <span className="wrap-anywhere">
            {others.slice(0, NAMED).join(', ')}
            {more > 0 && ` and ${more} more`}: no details of alerts and disabled webhooks are sent to them. Each can
            request a link on this page.
          </span>
        </Callout>
      )}
    </>
  );
}
