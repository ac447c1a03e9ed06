import type { Control, Path } from 'react-hook-form';
import { TimeField } from './time-field.js';

interface WithRunAt {
  /** ISO 8601; null: run immediately. */
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
