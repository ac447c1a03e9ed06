import type { ComponentProps } from 'react';
import { cx } from './cx.js';
import { useFieldControl } from './field.js';

/** The looks of every control that text goes into. */
export const controlClasses = cx(
  'w-full min-w-0 rounded-control border border-field bg-surface px-3 text-input text-text shadow-low',
  'transition-colors focus-visible:outline-offset-0 focus-visible:border-focus',
  'aria-invalid:border-danger disabled:bg-sunken disabled:text-muted [&[readonly]]:bg-sunken',
);

export interface InputProps extends ComponentProps<'input'> {
  /** Codes, addresses, phone numbers: what is read sign by sign. */
  mono?: boolean | undefined;
}

/** One line of text. Spread react-hook-form's `register(…)` onto it. */
export function Input({ mono, className, type = 'text', ...rest }: InputProps) {
  return (
    <input
      {...useFieldControl()}
      type={type}
      className={cx(controlClasses, 'h-control', mono && 'font-mono', className)}
      {...rest}
    />
  );
}

export interface TextareaProps extends ComponentProps<'textarea'> {
  mono?: boolean | undefined;
  /** Grows with its text instead of scrolling, where the browser can. */
  grow?: boolean | undefined;
}

/** Several lines of text. */
export function Textarea({ mono, grow, className, rows = 4, ...rest }: TextareaProps) {
  return (
    <textarea
      {...useFieldControl()}
      rows={rows}
      className={cx(
        controlClasses,
        'resize-y py-2',
        mono && 'font-mono',
        grow && 'min-h-24 field-sizing-content resize-none',
        className,
      )}
      {...rest}
    />
  );
}
