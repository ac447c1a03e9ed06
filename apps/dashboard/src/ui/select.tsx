import { Check, ChevronDown } from 'lucide-react';
import { Select as Radix } from 'radix-ui';
import { type Ref, use } from 'react';
import { cx } from './classes.js';
import { controlClasses, FieldContext } from './field.js';

export interface Option<Value extends string = string> {
  value: Value;
  label: string;
  /** A second line, for example why the option is disabled. */
  hint?: string | undefined;
  disabled?: boolean | undefined;
}

interface SelectProps<Value extends string> {
  options: readonly Option<Value>[];
  value: Value | undefined;
  onChange: (value: Value) => void;
  /** The name, where no Field provides one. */
  label?: string | undefined;
  disabled?: boolean | undefined;
  /** `small` is for toolbars. */
  size?: 'normal' | 'small' | undefined;
  className?: string | undefined;
  /** The button that opens the list. A form uses it to move the focus to an invalid field. */
  ref?: Ref<HTMLButtonElement> | undefined;
}

/** Selects one of a few options. Radix allows no empty value: use a word such as `all`. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { options, value, onChange, label, disabled = false, size, className, ref } = props;
  const { 'aria-required': _, ...field } = use(FieldContext);
  return (
    <Radix.Root value={value ?? ''} onValueChange={picker(options, onChange)} disabled={disabled}>
      <Radix.Trigger
        {...field}
        {...(ref ? { ref } : {})}
        aria-label={label}
        className={cx(
          controlClasses,
          'inline-flex items-center justify-between gap-2 text-left data-placeholder:text-muted',
          size === 'small' ? 'hit h-7 w-auto! px-2! text-mono!' : 'h-control',
          className,
        )}
      >
        <span className="truncate">
          <Radix.Value placeholder="Choose…" />
        </span>
        <Radix.Icon asChild>
          <ChevronDown size={14} className="shrink-0 text-muted" />
        </Radix.Icon>
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) max-w-[calc(100vw-1rem)] animate-fade overflow-hidden rounded-card bg-surface shadow-pop"
        >
          <Radix.Viewport className="p-1">
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={option.value}
                disabled={option.disabled ?? false}
                className={optionClasses}
              >
                <span className="min-w-0 flex-1">
                  <Radix.ItemText>{option.label}</Radix.ItemText>
                  {option.hint && <span className="block text-meta text-muted">{option.hint}</span>}
                </span>
                <Radix.ItemIndicator>
                  <Check size={14} />
                </Radix.ItemIndicator>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Calls `onChange` with the value of an option that Radix gives as a text. Ignores a text that is none, such as ''. */
export function picker<Value extends string>(options: readonly { value: Value }[], onChange: (value: Value) => void) {
  return (picked: string) => {
    const option = options.find(({ value }) => value === picked);
    if (option) onChange(option.value);
  };
}

/** The CSS classes of an option in Select and Menu. */
export const optionClasses = cx(
  'flex min-h-8 cursor-default items-center gap-2 rounded-control px-2 py-1.5 text-body outline-none select-none',
  'pointer-coarse:min-h-11 data-highlighted:bg-accent-soft data-disabled:text-muted data-disabled:opacity-70',
);
