import { useCan } from '../../session/use-session.js';
import { LoadError } from '../../shell/load-error.js';
import { Page } from '../../shell/page-frame.js';
import { Panel, Skeleton, StaleNote } from '../../ui/index.js';
import { AlertsSection } from './alerts-section.js';
import { useSettings } from './queries.js';
import { RaisedAlerts } from './raised-alerts.js';
import { RedactionSection } from './redaction-section.js';
import { RetentionSection } from './retention-section.js';
import { UnknownTypesSection } from './unknown-types-section.js';
import { UnverifiedAddresses } from './unverified-addresses.js';

export function SettingsPage() {
  const settings = useSettings();
  const canChange = useCan()('settings');
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
        <UnverifiedAddresses />
        {data && error && <StaleNote asOf={settings.dataUpdatedAt} onRetry={() => void settings.refetch()} />}
        {data ? (
          <>
            <RetentionSection days={data.retention_days} />
            <RedactionSection redact={data.redact} />
            <UnknownTypesSection chosen={data.unknown_types} />
            <AlertsSection alerts={data.alerts} />
            {canChange && <RaisedAlerts saved={data.alerts} />}
          </>
        ) : (
          <Panel>{error ? <LoadError of={settings} what="The settings" /> : <Loading />}</Panel>
        )}
      </div>
    </Page>
  );
}

function Loading() {
  return (
    <div role="status" aria-label="Loading the settings" className="flex flex-col gap-6 py-2">
      <Skeleton className="w-1/3" />
      <Skeleton className="h-9 w-2/3" />
      <Skeleton className="h-9 w-2/3" />
    </div>
  );
}
