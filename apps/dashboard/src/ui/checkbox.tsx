import { Check, Minus } from 'lucide-react';
import { Checkbox as Radix } from 'radix-ui';
import { type ReactNode, useId } from 'react';
import { cx } from './classes.js';

interface CheckboxProps {
  /** `mixed`: a header checkbox of which only some rows are checked. */
  checked: boolean | 'mixed';
  /** `shift`: the Shift key was held, so the user selects a range. */
  onChange: (checked: boolean, shift: boolean) => void;
  label: string;
  disabled?: boolean | undefined;
  describedBy?: string | undefined;
}

export function Checkbox({ checked, onChange, label, disabled, describedBy }: CheckboxProps) {
  const Icon = checked === 'mixed' ? Minus : Check;
  return (
    <Radix.Root
      aria-label={label}
      aria-describedby={describedBy}
      checked={checked === 'mixed' ? 'indeterminate' : checked}
      onClick={(event) => onChange(checked !== true, event.shiftKey)}
      disabled={disabled ?? false}
      className="hit grid size-4 shrink-0 place-items-center rounded-[4px] border border-field bg-surface text-on-accent transition-colors disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent forced-colors:text-[CanvasText]"
    >
      <Radix.Indicator>
        <Icon aria-hidden="true" size={12} strokeWidth={3} />
      </Radix.Indicator>
    </Radix.Root>
  );
}

interface CheckboxFieldProps extends Omit<CheckboxProps, 'describedBy'> {
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
