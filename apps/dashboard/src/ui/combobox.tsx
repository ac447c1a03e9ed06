import { X } from 'lucide-react';
import { Popover } from 'radix-ui';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { ComboboxList, optionId } from './combobox-list.js';
import { cx } from './cx.js';
import { useFieldControl } from './field.js';
import { filterOptions, stepOption } from './filter-options.js';
import { controlClasses } from './input.js';
import type { Option } from './select.js';

export interface ComboboxProps<Value extends string> {
  options: readonly Option<Value>[];
  value: Value | null;
  /** The value is null after the user cleared it. */
  onChange: (value: Value | null) => void;
  /** The name, where no Field provides one. */
  label?: string | undefined;
  placeholder?: string | undefined;
  /** The text that is shown when no option matches. */
  none?: string | undefined;
  /** Converts a text that is not in the options into an option, which is offered last. */
  other?: ((text: string) => Option<Value> | null) | undefined;
  className?: string | undefined;
}

/** Selects one of many options by typing. ARIA combobox with list autocomplete; the focus stays in the input. */
export function Combobox<Value extends string>({
  options,
  value,
  onChange,
  label,
  placeholder,
  none = 'Nothing matches',
  other,
  className,
}: ComboboxProps<Value>) {
  const field = useFieldControl();
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  /** Null while the user does not type. The input then shows the selected option. */
  const [text, setText] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);

  const chosen = options.find((option) => option.value === value);
  const typed = text?.trim();
  const exact = options.find((option) => option.label === typed);
  const custom = typed && !exact ? other?.(typed) : null;
  const found = [...filterOptions(options, text ?? ''), ...(custom ? [custom] : [])];
  const show = () => {
    setOpen(true);
    setActive(text ? 0 : found.findIndex((option) => option.value === value));
  };
  const hide = () => {
    setOpen(false);
    setText(null);
    setActive(-1);
  };
  const pick = (option: Option<Value> | undefined) => {
    if (!option || option.disabled) return;
    onChange(option.value);
    hide();
  };
  /** The focus moves elsewhere: an option that was typed in full counts as selected. */
  const leave = () => {
    const typedOption = exact ?? custom;
    if (typedOption && !typedOption.disabled) pick(typedOption);
    else hide();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!open) return show();
      const next = stepOption(found, active, event.key === 'ArrowDown' ? 1 : -1);
      setActive(next);
      document.getElementById(optionId(listId, next))?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && open) {
      event.preventDefault();
      pick(found[active]);
    } else if (event.key === 'Escape' && open) {
      // Closes only the list, not the dialog around it.
      event.stopPropagation();
      hide();
    } else if (event.key === 'Tab') leave();
  };

  return (
    <Popover.Root open={open} onOpenChange={(next) => !next && hide()}>
      <Popover.Anchor asChild>
        <div className={cx('relative', className)}>
          <input
            {...field}
            ref={input}
            type="text"
            role="combobox"
            autoComplete="off"
            spellCheck={false}
            aria-label={label}
            aria-autocomplete="list"
            aria-expanded={open}
            aria-controls={open ? listId : undefined}
            aria-activedescendant={open && active >= 0 ? optionId(listId, active) : undefined}
            placeholder={placeholder}
            value={text ?? chosen?.label ?? value ?? ''}
            onChange={(event) => {
              setText(event.target.value);
              setActive(0);
              setOpen(true);
            }}
            onClick={show}
            onKeyDown={press}
            className={cx(controlClasses, 'h-control', value !== null && 'pr-9')}
          />
          {value !== null && (
            <button
              type="button"
              aria-label={`Clear ${label ?? 'choice'}`}
              onClick={() => {
                onChange(null);
                hide();
                input.current?.focus();
              }}
              className="hit absolute! inset-y-0 right-1.5 my-auto grid size-6 place-items-center rounded-control text-muted hover:bg-hover hover:text-text"
            >
              <X aria-hidden="true" size={14} />
            </button>
          )}
        </div>
      </Popover.Anchor>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label ?? 'Choices'}
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          onInteractOutside={(event) => {
            const isOwn = event.target instanceof Node && input.current?.parentElement?.contains(event.target);
            if (isOwn) event.preventDefault();
            else leave();
          }}
          className="z-50 w-(--radix-popover-trigger-width) min-w-48 animate-fade rounded-card bg-surface p-1 shadow-pop"
        >
          <ComboboxList
            id={listId}
            label={label}
            options={found}
            value={value}
            active={active}
            onActive={setActive}
            onPick={pick}
          />
          {found.length === 0 && (
            <p role="status" className="px-2 py-1.5 text-body text-muted">
              {none}
            </p>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
