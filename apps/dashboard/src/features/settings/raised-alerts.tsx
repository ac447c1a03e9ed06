import type { Schemas } from '@jobline/client';
import { LoadError } from '../../shell/load-error.js';
import { Badge, type Column, DataTable, EmptyState, Panel, StaleNote, textColumn, timeColumn } from '../../ui/index.js';
import { useAlerts } from './queries.js';

type Alert = Schemas['Alert'];

/** The alerts of the organization that were raised. */
export function RaisedAlerts() {
  const alerts = useAlerts();
  const { data, error } = alerts;
  if (error && !data) return <LoadError of={alerts} what="The alerts" />;
  return (
    <Panel title="Raised alerts" padding="none">
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
