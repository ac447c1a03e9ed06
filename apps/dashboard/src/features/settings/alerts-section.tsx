import type { Settings } from '@jobline/client';
import { ALERT_LIMITS } from '@jobline/contracts';
import { type Control, Controller } from 'react-hook-form';
import { useDraftForm } from '../../drafts/use-draft-form.js';
import { isNumberInput, UNIT_OPTIONS } from '../../format/index.js';
import { ControlField } from '../../shell/control-field.js';
import { Callout, CheckboxField, Field, Input, Select, TokenInput } from '../../ui/index.js';
import { type AlertValues, alertsOf, alertValues, effectProblem } from './model.js';
import { useChangeSettings } from './queries.js';
import { NumberField, SettingsSection } from './settings-section.js';

const { minPercent, maxPercent, windowMinutes, minJobs, maxMinJobs, types: maxTypes } = ALERT_LIMITS;

/** When many jobs fail or wait too long, and who learns of it. */
export function AlertsSection({ alerts }: { alerts: Settings['alerts'] }) {
  const change = useChangeSettings();
  const draft = useDraftForm<AlertValues>('settings-alerts', alertValues(alerts));
  const { form, values } = draft;
  const { errors } = form.formState;
  const problem = effectProblem(values);
  return (
    <SettingsSection
      title="Alerts"
      description="A message when many jobs fail, or when jobs wait too long. At most one of a kind an hour."
      draft={draft}
      save={async (typed) => alertValues((await change({ alerts: alertsOf(typed) })).alerts)}
    >
      <div className="grid grid-cols-2 gap-4">
        <NumberField
          form={form}
          name="failure_rate_percent"
          label="Failed jobs, in percent"
          hint={`${minPercent} to ${maxPercent}, of the jobs that finished in the last ${windowMinutes} minutes. Empty: no alert.`}
          placeholder="off"
          validate={isNumberInput}
        />
        <NumberField
          form={form}
          name="min_jobs"
          label="Of at least so many jobs"
          hint={`1 to ${maxMinJobs.toLocaleString()}. With fewer, there is no alert.`}
          placeholder={String(minJobs)}
          validate={isNumberInput}
        />
      </div>
      <div className="grid grid-cols-2 gap-4">
        <NumberField
          form={form}
          name="oldest_waiting_seconds"
          label="Longest wait"
          hint="Of a job that could start. 5 seconds to 1 day. Empty: no alert."
          placeholder="off"
          validate={isNumberInput}
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
      <Field
        label="Channel of the team chat"
        hint="Alerts are posted there. Empty: to none."
        error={errors.channel?.message}
      >
        <Input autoComplete="off" {...form.register('channel')} />
      </Field>
      {problem && <Callout tone="warning">{problem}</Callout>}
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
