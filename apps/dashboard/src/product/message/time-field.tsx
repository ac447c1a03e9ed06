import { useRef } from 'react';
import { type Control, type FieldValues, type Path, useController } from 'react-hook-form';
import { DateTimeInput, Field } from '../../ui/index.js';

export interface TimeFieldProps<T extends FieldValues> {
  control: Control<T>;
  /** The value is a time in ISO 8601, or null. */
  name: Path<T>;
  label: string;
  hint: string;
  className?: string | undefined;
}

/** An optional time. The browser reports an incomplete time as empty, so it is rejected explicitly. */
export function TimeField<T extends FieldValues>({ control, name, label, hint, className }: TimeFieldProps<T>) {
  const input = useRef<HTMLInputElement | null>(null);
  const { field, fieldState } = useController({
    control,
    name,
    rules: { validate: () => !input.current?.validity.badInput || 'Complete the date and time, or clear the field.' },
  });
  return (
    <Field label={label} error={fieldState.error?.message} hint={hint} className={className}>
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
