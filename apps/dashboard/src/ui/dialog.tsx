import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from './cx.js';
import { IconButton } from './icon-button.js';
import { useFocusReturn } from './use-focus-return.js';

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  /** Buttons, the primary one last. A submit button needs the id of the form in the dialog. */
  footer?: ReactNode;
  size?: 'normal' | 'wide' | undefined;
  /** False: a click outside or Escape does not close the dialog. Use it for content that must not be lost. */
  dismissable?: boolean | undefined;
  children?: ReactNode;
}

/** A modal dialog. The focus moves to the first field, and returns to the element (or menu) that opened the dialog. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  footer,
  size = 'normal',
  dismissable = true,
  children,
}: DialogProps) {
  const focus = useFocusReturn({ into: 'first-field' });
  const stay = (event: Event) => !dismissable && event.preventDefault();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />
        <Radix.Content
          {...focus}
          {...(description ? {} : { 'aria-describedby': undefined })}
          onEscapeKeyDown={stay}
          onInteractOutside={stay}
          className={cx(
            'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-1/2 flex-col',
            'animate-fade overflow-hidden rounded-dialog border border-line bg-surface shadow-pop outline-none',
            size === 'wide' ? 'max-w-3xl' : 'max-w-lg',
          )}
        >
          <PanelHead title={title} description={description} closable={dismissable} />
          {children && <div className="min-h-0 overflow-y-auto px-6 pt-1 pb-6">{children}</div>}
          {footer && <PanelFoot>{footer}</PanelFoot>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The title, description and close button of Dialog and Sheet. */
export function PanelHead({
  title,
  description,
  closable,
}: {
  title: string;
  description?: ReactNode;
  closable: boolean;
}) {
  return (
    <div className="flex items-start gap-4 px-6 pt-5 pb-3">
      <div className="min-w-0 flex-1">
        <Radix.Title className="text-section font-semibold wrap-break-word">{title}</Radix.Title>
        {description && (
          <Radix.Description asChild>
            <div className="mt-1 text-body text-muted">{description}</div>
          </Radix.Description>
        )}
      </div>
      {closable && (
        <Radix.Close asChild>
          <IconButton label="Close" icon={<X />} size="small" className="-mr-2" />
        </Radix.Close>
      )}
    </div>
  );
}

/** The row of buttons at the bottom of Dialog and Sheet. */
export function PanelFoot({ children }: { children: ReactNode }) {
  return (
    <div className="mt-auto flex flex-wrap items-center justify-end gap-2 border-t border-line bg-canvas px-6 py-3">
      {children}
    </div>
  );
}
