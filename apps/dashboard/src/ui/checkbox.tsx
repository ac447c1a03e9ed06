import { Check, Minus } from 'lucide-react';
import { Checkbox as Radix } from 'radix-ui';
import { type ReactNode, useId } from 'react';
import { cx } from './cx.js';

export interface CheckboxProps {
  /** `mixed`: a header checkbox of which only some rows are checked. */
  checked: boolean | 'mixed';
  /** `shift`: the Shift key was held, so the user selects a range. */
  onChange: (checked: boolean, shift: boolean) => void;
  /** The name of the checkbox. */
  label: ReactNode;
  hideLabel?: boolean | undefined;
  disabled?: boolean | undefined;
  className?: string | undefined;
}

export function Checkbox({ checked, onChange, label, hideLabel, disabled, className }: CheckboxProps) {
  const id = useId();
  return (
    <span className={cx('inline-flex items-center gap-2', className)}>
      <Radix.Root
        id={id}
        checked={checked === 'mixed' ? 'indeterminate' : checked}
        onClick={(event) => onChange(checked !== true, event.shiftKey)}
        disabled={disabled ?? false}
        className="hit grid size-4 shrink-0 place-items-center rounded-[4px] border border-field bg-surface text-on-accent transition-colors disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent forced-colors:text-[CanvasText]"
      >
        <Radix.Indicator>
          {checked === 'mixed' ? (
            <Minus aria-hidden="true" size={12} strokeWidth={3} />
          ) : (
            <Check aria-hidden="true" size={12} strokeWidth={3} />
          )}
        </Radix.Indicator>
      </Radix.Root>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-body'}>
        {label}
      </label>
    </span>
  );
}
