import type { Schemas, Settings } from '@jobline/client';
import { LoadError } from '../../shell/load-error.js';
import {
  Badge,
  Button,
  type Column,
  DataTable,
  EmptyState,
  Panel,
  StaleNote,
  textColumn,
  timeColumn,
} from '../../ui/index.js';
import { useAlerts, useTestAlerts } from './queries.js';

type Alert = Schemas['Alert'];

/** The alerts of the organization that were raised, and a button that sends a test as the stored settings say. */
export function RaisedAlerts({ saved: { email, webhook, chat } }: { saved: Settings['alerts'] }) {
  const alerts = useAlerts();
  const test = useTestAlerts();
  const { data, error } = alerts;
  if (error && !data) return <LoadError of={alerts} what="The alerts" />;
  return (
    <Panel
      title="Raised alerts"
      padding="none"
      actions={
        <Button
          size="small"
          busy={test.isPending}
          disabledReason={email || webhook || chat ? undefined : 'No one is notified. Choose someone above, and save.'}
          onClick={() => test.mutate()}
        >
          Send a test alert
        </Button>
      }
    >
      <div role="status" className="text-body">
        {test.data?.channels.map(({ channel, sent, reason }) => (
          <p key={channel} className="border-b border-line px-4 py-2 wrap-anywhere">
            {CHANNELS[channel]}: {sent}. {reason && <span className="text-warning">{reason}</span>}
          </p>
        ))}
      </div>
      {error && <StaleNote asOf={alerts.dataUpdatedAt} />}
      <DataTable
        caption="Raised alerts"
        rows={data}
        columns={COLUMNS}
        skeletonRows={2}
        empty={<EmptyState title="No alerts in the last 30 days." />}
      />
    </Panel>
  );
}

const CHANNELS = {
  email: 'Emails sent',
  webhook: 'Webhooks that get an event',
  chat: 'Posts to the team chat',
} as const;

const COLUMNS: Column<Alert>[] = [
  {
    header: 'What',
    card: 'title',
    cell: (alert) => (
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate">{textOf(alert)}</span>
        {alert.resolved_at === null && <Badge tone="warning">Open</Badge>}
      </span>
    ),
  },
  textColumn({ header: 'Threshold', width: '112px', from: 'lg' }, ({ kind, threshold }) => withUnit(kind, threshold)),
  timeColumn({ header: 'Since', width: '128px' }, ({ since }) => since),
  timeColumn({ header: 'Resolved', width: '128px', card: 'end', unknown: '–' }, ({ resolved_at: at }) => at),
];

function textOf({ kind, value }: Alert): string {
  return kind === 'failure_rate'
    ? `${withUnit(kind, value)} of the jobs failed`
    : `A job waited ${withUnit(kind, value)}`;
}

function withUnit(kind: Alert['kind'], value: number): string {
  return kind === 'failure_rate' ? `${value} %` : `${value.toLocaleString()} s`;
}
