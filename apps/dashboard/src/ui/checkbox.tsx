import { Check, Minus } from 'lucide-react';
import { Checkbox as Radix } from 'radix-ui';

export interface CheckboxProps {
  /** `mixed`: a header checkbox of which only some rows are checked. */
  checked: boolean | 'mixed';
  /** `shift`: the Shift key was held, so the user selects a range. */
  onChange: (checked: boolean, shift: boolean) => void;
  /** The name for screen readers. */
  label: string;
  disabled?: boolean | undefined;
  /** The id of a hint. */
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
