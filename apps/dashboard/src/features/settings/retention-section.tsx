import type { Settings } from '@jobline/client';
import { Controller } from 'react-hook-form';
import { useDraftForm } from '../../drafts/use-draft-form.js';
import { formatCount, isNumberText } from '../../format/index.js';
import { RadioGroup } from '../../ui/index.js';
import { daysOf, isSooner, type RetentionValues, retentionValues } from './model.js';
import { useChangeSettings } from './queries.js';
import { NumberField, SettingsSection } from './settings-section.js';

const OPTIONS = [
  { value: 'installation', label: 'As long as the installation keeps them' },
  { value: 'days', label: 'For fewer days' },
] as const;

/** How long finished jobs are kept. */
export function RetentionSection({ days }: { days: Settings['retention_days'] }) {
  const change = useChangeSettings();
  const draft = useDraftForm<RetentionValues>('settings-retention', retentionValues(days));
  const { form, values } = draft;
  return (
    <SettingsSection
      title="Retention"
      description="How long finished jobs are kept, with their logs, files and messages. Then they are deleted."
      draft={draft}
      save={async (typed) => retentionValues((await change({ retention_days: daysOf(typed) })).retention_days)}
      questionOf={(typed) =>
        isSooner(days, daysOf(typed))
          ? {
              title: 'Delete older jobs?',
              text: `Jobs that finished more than ${formatCount(Number(typed.retention_days), 'day')} ago are deleted, with their logs, files and messages. This cannot be undone.`,
            }
          : null
      }
    >
      <Controller
        control={form.control}
        name="keep"
        render={({ field: { value, onChange } }) => (
          <RadioGroup label="Keep finished jobs" options={OPTIONS} value={value} onChange={onChange} />
        )}
      />
      {values.keep === 'days' && (
        <NumberField
          form={form}
          name="retention_days"
          label="Days"
          hint="At most as many as the installation keeps them. A larger number is rejected, with that limit."
          validate={(text) => isNumberText(text) || 'Enter a number of days, such as 14.'}
          required
        />
      )}
    </SettingsSection>
  );
}
