import { Check } from 'lucide-react';
import { type Option, optionClasses } from './select.js';

export interface ComboboxListProps<Value extends string> {
  id: string;
  label: string | undefined;
  options: readonly Option<Value>[];
  value: Value | null;
  /** The index of the highlighted option; -1 if there is none. */
  active: number;
  onActive: (index: number) => void;
  onPick: (option: Option<Value>) => void;
}

/** The listbox of Combobox. The input of the Combobox has the focus and handles the keyboard. */
export function ComboboxList<Value extends string>(props: ComboboxListProps<Value>) {
  const { id, label, options, value, active, onActive, onPick } = props;
  return (
    <div id={id} role="listbox" aria-label={label ?? 'Choices'} className="max-h-64 overflow-y-auto">
      {options.map((option, index) => (
        // The input handles the keyboard, as the ARIA pattern requires.
        // biome-ignore lint/a11y/useKeyWithClickEvents: see above
        // biome-ignore lint/a11y/useFocusableInteractive: see above
        <div
          key={option.value}
          id={optionId(id, index)}
          role="option"
          aria-selected={option.value === value}
          aria-disabled={option.disabled || undefined}
          data-highlighted={index === active ? '' : undefined}
          data-disabled={option.disabled ? '' : undefined}
          onPointerMove={() => onActive(index)}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onPick(option)}
          className={optionClasses}
        >
          <span className="min-w-0 flex-1">
            <span className="block truncate">{option.label}</span>
            {option.hint && <span className="block text-meta text-muted">{option.hint}</span>}
          </span>
          {option.value === value && <Check aria-hidden="true" size={14} className="shrink-0" />}
        </div>
      ))}
    </div>
  );
}

/** The id of an option's element, for `aria-activedescendant`. */
export function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}
