import { Controller, type UseFormReturn } from 'react-hook-form';
import { DateTimeInput, Field, Input, SegmentedControl } from '../../ui/index.js';
import { type Compose, type How, MOST_RETRIES, rules } from './compose-form.js';

const HOWS = [
  { value: 'now', label: 'Send now' },
  { value: 'queue', label: 'Queue with retries' },
] as const satisfies { value: How; label: string }[];

/** At once, or as a job that tries again and may wait for its time. */
export function HowFields({ form, how }: { form: UseFormReturn<Compose>; how: How }) {
  const { errors } = form.formState;
  return (
    <div className="flex flex-col gap-4">
      <SegmentedControl
        label="How it is sent"
        options={HOWS}
        value={how}
        onChange={(next) => form.setValue('how', next)}
        className="self-start"
      />
      {how === 'queue' && (
        <div className="grid gap-4 sm:grid-cols-[8rem_1fr]">
          <Field label="Retries" error={errors.retries?.message} hint={`0 to ${MOST_RETRIES}.`}>
            <Input inputMode="numeric" {...form.register('retries', rules.retries)} />
          </Field>
          <Controller
            control={form.control}
            name="runAt"
            render={({ field }) => (
              <Field label="Not before" error={errors.runAt?.message}>
                <DateTimeInput
                  ref={field.ref}
                  value={field.value || null}
                  onChange={(value) => field.onChange(value ?? '')}
                />
              </Field>
            )}
          />
        </div>
      )}
    </div>
  );
}
