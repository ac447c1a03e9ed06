import type { Control } from 'react-hook-form';
import { TimeField } from './time-field.js';

interface WithRunAt {
  /** ISO 8601; null: run immediately. */
  run_at: string | null;
}

/** The earliest time at which a job runs. */
export function RunAtField<T extends WithRunAt>({ control, className }: { control: Control<T>; className?: string }) {
  return (
    <TimeField
      control={control as unknown as Control<WithRunAt>} // a part of T, by its bound
      name="run_at"
      label="Not before"
      hint="Leave empty to run immediately."
      className={className}
    />
  );
}
