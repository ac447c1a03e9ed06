import { Check, Minus } from 'lucide-react';
import { Checkbox as RadixCheckbox, RadioGroup as RadixRadioGroup, ToggleGroup } from 'radix-ui';
import { type ReactNode, useId } from 'react';
import { cx } from './classes.js';
import { type Option, picker } from './select.js';

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
    <RadixCheckbox.Root
      aria-label={label}
      aria-describedby={describedBy}
      checked={checked === 'mixed' ? 'indeterminate' : checked}
      onClick={(event) => onChange(checked !== true, event.shiftKey)}
      disabled={disabled ?? false}
      className="hit grid size-4 shrink-0 place-items-center rounded-[4px] border border-field bg-surface text-on-accent transition-colors disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent forced-colors:text-[CanvasText]"
    >
      <RadixCheckbox.Indicator>
        <Icon size={12} strokeWidth={3} />
      </RadixCheckbox.Indicator>
    </RadixCheckbox.Root>
  );
}

/** A checkbox with its label, and a hint below it. */
export function CheckboxField({ hint, ...checkbox }: Omit<CheckboxProps, 'describedBy'> & { hint?: ReactNode }) {
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

interface RadioGroupProps<Value extends string> {
  label: string;
  options: readonly Omit<Option<Value>, 'disabled'>[];
  value: Value;
  onChange: (value: Value) => void;
}

/** Selects one of a few options. Every option and its hint is visible. */
export function RadioGroup<Value extends string>({ label, options, value, onChange }: RadioGroupProps<Value>) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1.5">
      <span id={id} className="text-body font-medium">
        {label}
      </span>
      <RadixRadioGroup.Root
        aria-labelledby={id}
        value={value}
        onValueChange={picker(options, onChange)}
        className="flex flex-col gap-2"
      >
        {options.map((option) => (
          <div key={option.value} className="flex items-start gap-2">
            <RadixRadioGroup.Item
              id={`${id}-${option.value}`}
              value={option.value}
              className="hit mt-0.5 grid size-4 shrink-0 place-items-center rounded-full border border-field bg-surface transition-colors disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent"
            >
              <RadixRadioGroup.Indicator className="size-1.5 rounded-full bg-on-accent forced-colors:bg-[CanvasText]" />
            </RadixRadioGroup.Item>
            <label htmlFor={`${id}-${option.value}`} className="text-body">
              {option.label}
              {option.hint && <span className="block text-meta text-muted">{option.hint}</span>}
            </label>
          </div>
        ))}
      </RadixRadioGroup.Root>
    </div>
  );
}

/** Selects one of two to five short options, side by side: 1h, 24h, 7d. */
export function SegmentedControl<Value extends string>({ label, options, value, onChange }: RadioGroupProps<Value>) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      // A second click on the selected option gives '', which `picker` ignores: one option is always selected.
      onValueChange={picker(options, onChange)}
      className="inline-flex h-control shrink-0 items-center gap-0.5 rounded-control border border-line bg-sunken p-0.5"
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          className="focus-inset h-full rounded-[4px] border border-transparent px-2.5 text-mono font-medium whitespace-nowrap text-muted transition-colors hover:text-text disabled:opacity-50 data-[state=on]:border-line data-[state=on]:bg-surface data-[state=on]:text-text data-[state=on]:shadow-low"
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
