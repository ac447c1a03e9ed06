import { Dialog as Radix } from 'radix-ui';
import { cx } from './cx.js';
import { type DialogProps, PanelFoot, PanelHead } from './dialog.js';
import { useFocusReturn } from './use-focus-return.js';

export interface SheetProps extends DialogProps {
  /** `left` is for navigation drawers. Default: right. */
  side?: 'right' | 'left' | undefined;
}

/** A modal panel at the side, for longer tasks. It fills the screen on phones. */
export function Sheet({
  open,
  onOpenChange,
  title,
  description,
  footer,
  size = 'normal',
  dismissable = true,
  side = 'right',
  children,
}: SheetProps) {
  const focus = useFocusReturn({ into: 'first-field' });
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />
        <Radix.Content
          {...focus}
          {...(description ? {} : { 'aria-describedby': undefined })}
          onEscapeKeyDown={(event) => !dismissable && event.preventDefault()}
          onInteractOutside={(event) => !dismissable && event.preventDefault()}
          className={cx(
            'fixed inset-y-0 z-40 flex w-full flex-col overflow-hidden bg-surface shadow-pop outline-none',
            side === 'right' ? 'right-0 animate-slide' : 'left-0 animate-fade',
            size === 'wide' ? 'sm:max-w-3xl' : side === 'left' ? 'max-w-72' : 'sm:max-w-lg',
          )}
        >
          <PanelHead title={title} description={description} closable={dismissable} />
          <div className="min-h-0 flex-1 overflow-y-auto px-6 pt-1 pb-6">{children}</div>
          {footer && <PanelFoot>{footer}</PanelFoot>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
