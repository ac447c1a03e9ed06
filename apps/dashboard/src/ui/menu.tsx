import { Check } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import { Fragment, type ReactElement, type ReactNode } from 'react';
import { cx } from './classes.js';
import { optionClasses } from './select.js';

interface MenuItem {
  label: string;
  icon?: ReactElement | undefined;
  onSelect?: (() => void) | undefined;
  /** The keyboard shortcut, shown at the end. */
  keys?: string | undefined;
  /** A line below the label. For a disabled item, it says why the item is disabled. */
  hint?: string | undefined;
  disabled?: boolean | undefined;
  checked?: boolean | undefined;
  /** Whether the menu stays open, for several choices. */
  stays?: boolean | undefined;
}

interface MenuProps {
  trigger: ReactElement;
  /** Groups of items, with a line between them. */
  groups: readonly (readonly MenuItem[])[];
  /** Content above the items, such as the signed-in user. */
  head?: ReactNode;
  align?: 'start' | 'center' | 'end' | undefined;
  side?: 'top' | 'bottom' | undefined;
}

/** A button that opens a list of actions. */
export function Menu({ trigger, groups, head, align = 'end', side = 'bottom' }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 max-w-80 animate-fade overflow-y-auto rounded-card bg-surface p-1 shadow-pop"
        >
          {head && (
            <div className="border-b border-line px-2 pt-1.5 pb-2 text-meta text-muted not-last:mb-1">{head}</div>
          )}
          {groups
            .filter((group) => group.length > 0)
            .map((group, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: labels may repeat, and groups and items keep their order
              <Fragment key={index}>
                {index > 0 && <Radix.Separator className="-mx-1 my-1 h-px bg-line" />}
                {group.map((item, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: see above
                  <Item key={at} item={item} />
                ))}
              </Fragment>
            ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Item({ item }: { item: MenuItem }) {
  const { label, icon, onSelect, keys, hint, disabled, checked, stays } = item;
  const props = {
    disabled: disabled ?? false,
    onSelect: (event: Event) => {
      if (stays) event.preventDefault();
      onSelect?.();
    },
    className: cx(optionClasses, '[&_svg]:size-4 [&_svg]:shrink-0'),
  };
  const content = (
    <>
      {icon && <span className="text-muted">{icon}</span>}
      <span className="min-w-0 flex-1">
        <span className="block truncate">{label}</span>
        {hint && <span className="block text-meta text-muted">{hint}</span>}
      </span>
      {keys && <KeyHint keys={keys} />}
      {checked && <Check />}
    </>
  );
  return checked === undefined ? (
    <Radix.Item {...props}>{content}</Radix.Item>
  ) : (
    <Radix.CheckboxItem {...props} checked={checked}>
      {content}
    </Radix.CheckboxItem>
  );
}

/** Shows keys such as `g j` or `Ctrl+S`. It is decoration; use it in tooltips, menus and the shortcuts dialog. */
export function KeyHint({ keys }: { keys: string }) {
  return (
    <span className="inline-flex shrink-0 items-center gap-1">
      {keys.split(/[ +]/).map((key) => (
        <kbd
          key={key}
          className="inline-grid h-5 min-w-5 place-items-center rounded-[4px] border border-line bg-sunken px-1 font-sans text-meta text-muted"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
