import type { Schemas, Settings } from '@jobline/client';
import { ALERT_LIMITS } from '@jobline/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type Control, Controller } from 'react-hook-form';
import { isNumberInput, UNIT_OPTIONS } from '../../format/index.js';
import { useApi } from '../../services.js';
import { ControlField, TextField } from '../../shell/control-field.js';
import { LoadError } from '../../shell/load-error.js';
import {
  Badge,
  Button,
  Callout,
  CheckboxField,
  type Column,
  DataTable,
  EmptyState,
  Panel,
  Select,
  StaleNote,
  TokenInput,
  textColumn,
  timeColumn,
  toast,
} from '../../ui/index.js';
import { type AlertValues, alertsOf, alertValues, effectProblem } from './model.js';
import { SettingsSection } from './settings-section.js';

const { minPercent, maxPercent, windowMinutes, minJobs, maxMinJobs, types: maxTypes } = ALERT_LIMITS;

const OPTIONAL_NUMBER = { inputMode: 'numeric', rules: { validate: isNumberInput } } as const;

/** When many jobs fail or wait too long, and who learns of it. */
export function AlertsSection({ settings }: { settings: Settings }) {
  return (
    <SettingsSection<AlertValues>
      title="Alerts"
      description="A message when many jobs fail, or when jobs wait too long. At most one of a kind an hour."
      name="alerts"
      settings={settings}
      valuesOf={({ alerts }) => alertValues(alerts)}
      changesOf={(typed) => ({ alerts: alertsOf(typed) })}
    >
      {({ form, values }) => (
        <>
          <div className="grid grid-cols-2 gap-4">
            <TextField
              form={form}
              name="failure_rate_percent"
              label="Failed jobs, in percent"
              hint={`${minPercent} to ${maxPercent}, of the jobs that finished in the last ${windowMinutes} minutes. Empty: no alert.`}
              placeholder="off"
              {...OPTIONAL_NUMBER}
            />
            <TextField
              form={form}
              name="min_jobs"
              label="Of at least so many jobs"
              hint={`1 to ${maxMinJobs.toLocaleString()}. With fewer, there is no alert.`}
              placeholder={String(minJobs)}
              {...OPTIONAL_NUMBER}
            />
          </div>
          <div className="grid grid-cols-2 gap-4">
            <TextField
              form={form}
              name="oldest_waiting_seconds"
              label="Longest wait"
              hint="Of a job that could start. 5 seconds to 1 day. Empty: no alert."
              placeholder="off"
              {...OPTIONAL_NUMBER}
            />
            <ControlField control={form.control} name="unit" label="Unit">
              {(bound) => <Select options={UNIT_OPTIONS} {...bound} />}
            </ControlField>
          </div>
          <ControlField
            control={form.control}
            name="types"
            label="Job types"
            hint={`Only jobs of these types count, at most ${maxTypes}. Empty: of all types.`}
          >
            {(bound) => <TokenInput {...bound} />}
          </ControlField>
          <fieldset className="flex flex-col gap-1">
            <legend className="mb-1.5 text-body font-medium">Notify</legend>
            <Channel control={form.control} name="email" label="Owners and admins, by email" />
            <Channel
              control={form.control}
              name="webhook"
              label="Webhooks, by events"
              hint="Those that have chosen alert.raised and alert.resolved."
            />
          </fieldset>
          <TextField
            form={form}
            name="channel"
            label="Channel of the team chat"
            hint="Alerts are posted there. Empty: to none."
          />
          {effectProblem(values) && <Callout tone="warning">{effectProblem(values)}</Callout>}
        </>
      )}
    </SettingsSection>
  );
}

interface ChannelProps {
  control: Control<AlertValues>;
  name: 'email' | 'webhook';
  label: string;
  hint?: string;
}

function Channel({ control, name, ...texts }: ChannelProps) {
  return (
    <Controller
      control={control}
      name={name}
      render={({ field: { value, onChange } }) => <CheckboxField {...texts} checked={value} onChange={onChange} />}
    />
  );
}

type Alert = Schemas['Alert'];

const ALERTS_EVERY_MS = 15_000;

/** The alerts of the organization that were raised, and a button that sends a test as the stored settings say. */
export function RaisedAlerts({ saved: { email, webhook, chat } }: { saved: Settings['alerts'] }) {
  const api = useApi();
  const alerts = useQuery({
    queryKey: ['listAlerts'],
    queryFn: ({ signal }) => api.settings.alerts({ signal }),
    refetchInterval: ALERTS_EVERY_MS,
  });
  const test = useMutation({
    mutationFn: () => api.settings.testAlerts(),
    onError: ({ message }) => toast.error(message),
  });
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
