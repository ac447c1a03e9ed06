import { useRef } from 'react';
import { type Control, useController } from 'react-hook-form';
import { DateTimeInput, Field } from '../../ui/index.js';

interface WithRunAt {
  /** ISO 8601; null: run immediately. */
  run_at: string | null;
}

/**
 * The earliest time at which a job runs. The browser reports an incomplete time as empty, so it is rejected explicitly.
 */
export function RunAtField<T extends WithRunAt>({ control, className }: { control: Control<T>; className?: string }) {
  const input = useRef<HTMLInputElement | null>(null);
  const { field, fieldState } = useController({
    control: control as unknown as Control<WithRunAt>, // a part of T, by its bound
    name: 'run_at',
    rules: { validate: () => !input.current?.validity.badInput || 'Complete the date and time, or clear the field.' },
  });
  return (
    <Field
      label="Not before"
      error={fieldState.error?.message}
      hint="Leave empty to run immediately."
      className={className}
    >
      <DateTimeInput
        value={field.value}
        onChange={field.onChange}
        ref={(element) => {
          input.current = element;
          field.ref(element);
        }}
      />
    </Field>
  );
}
