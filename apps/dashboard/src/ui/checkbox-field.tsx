import { type ReactNode, useId } from 'react';
import { Checkbox, type CheckboxProps } from './checkbox.js';
import { cx } from './cx.js';

export interface CheckboxFieldProps extends Omit<CheckboxProps, 'describedBy'> {
  hint?: ReactNode;
}

/** A checkbox with its label, and a hint below it. */
export function CheckboxField({ hint, ...checkbox }: CheckboxFieldProps) {
  const hintId = useId();
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is a button inside of it, which has the name
    <label
      className={cx(
        'flex items-start gap-2 py-0.5 text-body',
        hint ? 'pointer-coarse:py-1' : 'pointer-coarse:py-3',
        checkbox.disabled ? 'text-muted' : 'cursor-pointer',
      )}
    >
      <span className="flex h-5 items-center">
        <Checkbox {...checkbox} describedBy={hint ? hintId : undefined} />
      </span>
      <span className="min-w-0">
        {checkbox.label}
        {hint && (
          <span id={hintId} className="block text-meta text-muted">
            {hint}
          </span>
        )}
      </span>
    </label>
  );
}
