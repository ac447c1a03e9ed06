import { type ComponentProps, useId } from 'react';
import { cx } from './cx.js';
import { useFieldControl } from './field.js';

/** The CSS classes of all text controls. */
export const controlClasses = cx(
  'w-full min-w-0 rounded-control border border-field bg-surface px-3 text-input text-text shadow-low',
  'transition-colors focus-visible:outline-offset-0 focus-visible:border-focus',
  'aria-invalid:border-danger disabled:bg-sunken disabled:text-muted [&[readonly]]:bg-sunken',
);

export interface InputProps extends ComponentProps<'input'> {
  /** Monospace font, for values that are read character by character: codes, addresses, phone numbers. */
  mono?: boolean | undefined;
  /** Values that the browser offers while the user types. Other values are allowed too. */
  suggestions?: readonly string[] | undefined;
}

/** A single-line text input. Pass the result of react-hook-form's `register(…)` as props. */
export function Input({ mono, suggestions, className, type = 'text', ...rest }: InputProps) {
  const listId = useId();
  return (
    <>
      <input
        {...useFieldControl()}
        type={type}
        list={suggestions && listId}
        className={cx(controlClasses, 'h-control', mono && 'font-mono', className)}
        {...rest}
      />
      {suggestions && (
        <datalist id={listId}>
          {suggestions.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
    </>
  );
}

export interface TextareaProps extends ComponentProps<'textarea'> {
  mono?: boolean | undefined;
  /** Grows with the text instead of scrolling, if the browser supports it. */
  grow?: boolean | undefined;
}

/** A multi-line text input. */
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
