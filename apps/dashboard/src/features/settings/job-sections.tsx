import type { Settings } from '@jobline/client';
import { REDACT_LIMITS, REDACTED } from '@jobline/contracts';
import { formatCount, isNumberText } from '../../format/index.js';
import { ControlField, RadioField, TextField } from '../../shell/control-field.js';
import { TokenInput } from '../../ui/index.js';
import { daysOf, isSooner, keysDeletedBy, type RetentionValues, retentionValues } from './model.js';
import { SettingsSection } from './settings-section.js';

interface SectionProps {
  settings: Settings;
}

const RETENTION_OPTIONS = [
  { value: 'installation', label: 'As long as the installation keeps them' },
  { value: 'days', label: 'For fewer days' },
] as const;

/** How long finished jobs are kept. */
export function RetentionSection({ settings }: SectionProps) {
  return (
    <SettingsSection<RetentionValues>
      title="Retention"
      description="How long finished jobs are kept, with their logs, files and messages. Then they are deleted."
      name="retention"
      settings={settings}
      valuesOf={({ retention_days: days }) => retentionValues(days)}
      changesOf={(typed) => ({ retention_days: daysOf(typed) })}
      questionOf={(typed) =>
        isSooner(settings.retention_days, daysOf(typed))
          ? {
              title: 'Delete older jobs?',
              text: `Jobs that finished more than ${formatCount(Number(typed.retention_days), 'day')} ago are deleted, with their logs, files and messages. This cannot be undone.`,
            }
          : null
      }
    >
      {({ form, values }) => (
        <>
          <RadioField control={form.control} name="keep" label="Keep finished jobs" options={RETENTION_OPTIONS} />
          {values.keep === 'days' && (
            <TextField
              form={form}
              name="retention_days"
              label="Days"
              hint="At most as many as the installation keeps them. A larger number is rejected, with that limit."
              inputMode="numeric"
              rules={{ validate: (text) => isNumberText(text) || 'Enter a number of days, such as 14.' }}
              required
            />
          )}
        </>
      )}
    </SettingsSection>
  );
}

/** Which values of payloads are deleted, and when. */
export function RedactionSection({ settings }: SectionProps) {
  const redactOf = (typed: { payload_keys: string[]; after_days: string }) => ({
    payload_keys: typed.payload_keys,
    after_days: Number(typed.after_days),
  });
  return (
    <SettingsSection
      title="Redaction"
      description="Values in payloads that no one needs after a job, such as card numbers."
      name="redaction"
      settings={settings}
      valuesOf={({ redact }) => ({ ...redact, after_days: String(redact.after_days) })}
      changesOf={(typed) => ({ redact: redactOf(typed) })}
      questionOf={(typed) => {
        const keys = keysDeletedBy(settings.redact, redactOf(typed));
        return keys.length === 0 ? null : { title: 'Delete these values?', text: effectOf(keys, typed.after_days) };
      }}
    >
      {({ form }) => (
        <>
          <ControlField
            control={form.control}
            name="payload_keys"
            label="Payload keys"
            hint={`At most ${REDACT_LIMITS.keys} names, such as card_number. Upper and lower case are different.`}
          >
            {(bound) => <TokenInput {...bound} />}
          </ControlField>
          <TextField
            form={form}
            name="after_days"
            label="Days after the end of a job"
            hint={`0 to ${REDACT_LIMITS.afterDays}. With 0, the values are replaced as soon as a job has finished.`}
            inputMode="numeric"
            rules={{
              validate: (text) => isNumberText(text) || `Enter a number of days, from 0 to ${REDACT_LIMITS.afterDays}.`,
            }}
            required
          />
          <p className="text-meta text-muted">
            From then on, the values of these keys are shown as {REDACTED}, at any depth of a payload. They are deleted
            from the database within an hour, which cannot be undone. A job with such a value cannot be retried any
            more. Copies in the emails, SMS and payments of the job are deleted too, but not what handlers write:
            results, files and logs. Handlers always get the real values.
          </p>
        </>
      )}
    </SettingsSection>
  );
}

function effectOf(keys: readonly string[], afterDays: string): string {
  const days = formatCount(Number(afterDays), 'day');
  const [earlier, later] =
    Number(afterDays) === 0
      ? ['have finished', 'when it finishes']
      : [`finished more than ${days} ago`, `${days} after its end`];
  const values = `The values of ${keys.map((key) => `“${key}”`).join(', ')}`;
  return `${values} are deleted in all jobs that ${earlier}, and in every other job ${later}. This cannot be undone, and a job with such a value cannot be retried any more.`;
}

const UNKNOWN_TYPES_OPTIONS = [
  { value: 'fail', label: 'They fail at once' },
  { value: 'wait', label: 'They wait until a worker has the type' },
  { value: 'reject', label: 'They are rejected when they are submitted' },
] as const;

/** What becomes of jobs whose type no worker ever had. */
export function UnknownTypesSection({ settings }: SectionProps) {
  return (
    <SettingsSection
      title="Unknown job types"
      description="What becomes of jobs whose type no worker ever had: because of a typing error, or because their worker is not deployed yet."
      name="unknown-types"
      settings={settings}
      valuesOf={({ unknown_types = 'fail' }) => ({ unknown_types })}
      changesOf={(typed) => typed}
    >
      {({ form }) => (
        <RadioField
          control={form.control}
          name="unknown_types"
          label="Jobs of an unknown type"
          options={UNKNOWN_TYPES_OPTIONS}
        />
      )}
    </SettingsSection>
  );
}
