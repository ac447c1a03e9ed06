import { useState } from 'react';
import { fromLocalInput, toLocalInput, zoneName } from '../format/local-time.js';
import { Input, type InputProps } from './input.js';

export interface DateTimeInputProps extends Omit<InputProps, 'type' | 'value' | 'defaultValue' | 'onChange'> {
  /** ISO 8601; null for no time. */
  value: string | null;
  onChange: (value: string | null) => void;
}

/** A date and time in the user's time zone, which is shown below. It uses the browser's own picker. */
export function DateTimeInput({ value, onChange, ...rest }: DateTimeInputProps) {
  // A half-typed value is not a valid time yet and must stay as it is.
  const [text, setText] = useState(() => toLocalInput(value));
  const shown = fromLocalInput(text) === value ? text : toLocalInput(value);
  return (
    <div>
      <Input
        {...rest}
        type="datetime-local"
        value={shown}
        onChange={(event) => {
          setText(event.target.value);
          onChange(fromLocalInput(event.target.value));
        }}
      />
      <span className="mt-1 block text-meta text-muted">{zoneName(value ? new Date(value) : undefined)}</span>
    </div>
  );
}
