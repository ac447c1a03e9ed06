import { LIMITS } from '@jobline/contracts';
import { useRef } from 'react';
import type { Control, FieldValues, Path, UseFormReturn } from 'react-hook-form';
import { ControlField } from '../../shell/control-field.js';
import { DateTimeInput, Field, Input, RadioGroup } from '../../ui/index.js';

/** The fields of a form for a message that say when and how it is sent. */
export interface WithDelivery extends WithRunAt {
  delivery: 'now' | 'queue';
  /** The number of retries of a queued message, as it was typed. */
  max_retries: string;
}

const DELIVERY_OPTIONS = [
  { value: 'now', label: 'Send now', hint: 'One attempt while you wait. You see the answer of the provider.' },
  {
    value: 'queue',
    label: 'Queue with retries or for later',
    hint: 'A job sends the message and retries if sending fails.',
  },
] as const;

/** The choice between sending now and sending by a job, which retries and can be scheduled. */
export function DeliveryFields<T extends WithDelivery>(props: { form: UseFormReturn<T> }) {
  // The cast: each of these fields is in T.
  const form = props.form as unknown as UseFormReturn<WithDelivery>;
  const delivery = form.watch('delivery');
  const validate = (text: string, draft: WithDelivery) => draft.delivery !== 'queue' || (retriesError(text) ?? true);
  return (
    <div className="flex flex-col gap-3">
      <RadioGroup
        label="Delivery"
        value={delivery}
        onChange={(next) => form.setValue('delivery', next)}
        options={DELIVERY_OPTIONS}
      />
      {delivery === 'queue' && (
        <div className="flex items-start gap-4 pl-6 max-sm:flex-col">
          <Field
            label="Retries"
            error={form.formState.errors.max_retries?.message}
            hint={`0 to ${LIMITS.maxRetries}.`}
            className="w-full sm:w-32 sm:shrink-0"
          >
            <Input inputMode="numeric" {...form.register('max_retries', { validate })} />
          </Field>
          <RunAtField control={form.control} className="w-full flex-1" />
        </div>
      )}
    </div>
  );
}

interface WithRunAt {
  /** The earliest time at which a job runs, in ISO 8601; null: immediately. */
  run_at: string | null;
}

/** The earliest time at which a job runs. */
export function RunAtField<T extends WithRunAt>({ control, className }: { control: Control<T>; className?: string }) {
  return (
    <TimeField
      control={control}
      name={'run_at' as Path<T>} // by the bound of T
      label="Not before"
      hint="Leave empty to run immediately."
      className={className}
    />
  );
}

/** The props of a TimeField for the expiry of a job. */
export const EXPIRY = {
  name: 'expires_at',
  label: 'Expires',
  hint: 'No attempt starts at or after this time.',
} as const;

interface TimeFieldProps<T extends FieldValues> {
  control: Control<T>;
  /** The value is a time in ISO 8601, or null. */
  name: Path<T>;
  label: string;
  hint: string;
  className?: string | undefined;
}

/** An optional time. The browser reports an incomplete time as empty, so it is rejected explicitly. */
export function TimeField<T extends FieldValues>(field: TimeFieldProps<T>) {
  const input = useRef<HTMLInputElement | null>(null);
  const validate = () => !input.current?.validity.badInput || 'Complete the date and time, or clear the field.';
  return (
    <ControlField {...field} rules={{ validate }}>
      {({ ref, ...bound }) => (
        <DateTimeInput
          {...bound}
          ref={(element) => {
            input.current = element;
            ref(element);
          }}
        />
      )}
    </ControlField>
  );
}

/** Returns the error message for a text that is not a valid number of retries; null if it is valid. */
export function retriesError(text: string): string | null {
  const isValid = /^\d{1,3}$/.test(text.trim()) && Number(text) <= LIMITS.maxRetries;
  return isValid ? null : `Enter a whole number from 0 to ${LIMITS.maxRetries}.`;
}
