import type { Settings } from '@jobline/client';
import { Controller } from 'react-hook-form';
import { useDraftForm } from '../../drafts/use-draft-form.js';
import { RadioGroup } from '../../ui/index.js';
import { useChangeSettings } from './queries.js';
import { SettingsSection } from './settings-section.js';

const OPTIONS = [
  { value: 'fail', label: 'They fail at once' },
  { value: 'wait', label: 'They wait until a worker has the type' },
  { value: 'reject', label: 'They are rejected when they are submitted' },
] as const;

interface Values {
  unknown_types: NonNullable<Settings['unknown_types']>;
}

const valuesOf = (chosen: Settings['unknown_types']): Values => ({ unknown_types: chosen ?? 'fail' });

/** What becomes of jobs whose type no worker ever had. */
export function UnknownTypesSection({ chosen }: { chosen: Settings['unknown_types'] }) {
  const change = useChangeSettings();
  const draft = useDraftForm<Values>('settings-unknown-types', valuesOf(chosen));
  return (
    <SettingsSection
      title="Unknown job types"
      description="What becomes of jobs whose type no worker ever had: because of a typing error, or because their worker is not deployed yet."
      draft={draft}
      save={async (typed) => valuesOf((await change(typed)).unknown_types)}
    >
      <Controller
        control={draft.form.control}
        name="unknown_types"
        render={({ field: { value, onChange } }) => (
          <RadioGroup label="Jobs of an unknown type" options={OPTIONS} value={value} onChange={onChange} />
        )}
      />
    </SettingsSection>
  );
}
