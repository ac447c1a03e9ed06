import type { UseFormReturn } from 'react-hook-form';
import { DateTimeInput, Field, Input, RadioGroup } from '../../ui/index.js';
import type { EmailDraft } from './draft.js';

/** At once, or by a job that tries again or waits for its time. */
export function DeliveryFields({ form }: { form: UseFormReturn<EmailDraft> }) {
  const [delivery, runAt] = form.watch(['delivery', 'run_at']);
  const { errors } = form.formState;
  return (
    <div className="flex flex-col gap-3">
      <RadioGroup
        label="Delivery"
        value={delivery}
        onChange={(value) => form.setValue('delivery', value, { shouldDirty: true })}
        options={[
          { value: 'now', label: 'Send now', hint: 'Once, while you wait; you see what the provider says.' },
          {
            value: 'queue',
            label: 'Queue with retries or for later',
            hint: 'A job sends it, and tries again if it fails.',
          },
        ]}
      />
      {delivery === 'queue' && (
        <div className="flex items-start gap-4 pl-6 max-sm:flex-col">
          <Field label="Retries" error={errors.max_retries?.message} hint="0 to 100." className="w-full sm:w-32">
            <Input
              type="number"
              inputMode="numeric"
              min={0}
              max={100}
              {...form.register('max_retries', {
                validate: (value, { delivery: how }) =>
                  how === 'now' || /^(\d|[1-9]\d|100)$/.test(value.trim()) || 'A whole number from 0 to 100.',
              })}
            />
          </Field>
          <Field label="Not before" error={errors.run_at?.message} className="w-full flex-1">
            <DateTimeInput value={runAt} onChange={(value) => form.setValue('run_at', value, { shouldDirty: true })} />
          </Field>
        </div>
      )}
    </div>
  );
}
