import { useRef } from 'react';
import { type Control, useController } from 'react-hook-form';
import { DateTimeInput, Field } from '../../ui/index.js';

interface WithRunAt {
  /** ISO 8601; null is at once. */
  run_at: string | null;
}

/** Not before when a job runs. A time that is half-typed is none to the browser: it is asked for, and never taken as none. */
export function RunAtField<T extends WithRunAt>({ control, className }: { control: Control<T>; className?: string }) {
  const input = useRef<HTMLInputElement | null>(null);
  const { field, fieldState } = useController({
    control: control as unknown as Control<WithRunAt>, // a part of T, by its bound
    name: 'run_at',
    rules: { validate: () => !input.current?.validity.badInput || 'Complete the date and time, or empty it.' },
  });
  return (
    <Field label="Not before" error={fieldState.error?.message} hint="Empty or past: at once." className={className}>
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
