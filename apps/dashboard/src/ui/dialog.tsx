import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button, IconButton } from './button.js';
import { cx } from './classes.js';
import { useFocusReturn } from './focus.js';

interface DialogProps {
  /** Default: true, for a dialog that is open while mounted. */
  open?: boolean;
  /** Called when the user closes the dialog. */
  onClose: () => void;
  title: string;
  description?: ReactNode;
  /** Buttons, the primary one last. A submit button needs the id of the form in the dialog. */
  footer?: ReactNode;
  size?: 'normal' | 'wide' | undefined;
  /** Makes it a panel at this side: `right` for longer tasks, `left` for navigation. It fills the screen on phones. */
  side?: 'right' | 'left' | undefined;
  /** Makes it a question that only its buttons and Escape close. The focus moves to the first button. */
  alert?: boolean | undefined;
  /** False: a click outside or Escape does not close the dialog. Use it for content that must not be lost. */
  dismissable?: boolean | undefined;
  children?: ReactNode;
}

const PLACES = {
  center:
    'top-1/2 left-1/2 max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-1/2 animate-fade rounded-dialog border border-line',
  right: 'inset-y-0 right-0 w-full animate-slide',
  left: 'inset-y-0 left-0 w-full animate-fade',
} as const;

const WIDTHS = {
  center: { normal: 'max-w-lg', wide: 'max-w-3xl' },
  right: { normal: 'sm:max-w-lg', wide: 'sm:max-w-3xl' },
  left: { normal: 'max-w-72', wide: 'max-w-72' },
} as const;

/** A modal dialog. The focus moves to the first field, and returns to the element (or menu) that opened the dialog. */
export function Dialog(props: DialogProps) {
  const { open = true, onClose, title, description, footer, size = 'normal', dismissable = true, children } = props;
  const { alert = false, side: place = 'center' } = props;
  const focus = useFocusReturn({ into: alert ? 'own-choice' : 'first-field' });
  const stay = (event: Event) => !dismissable && event.preventDefault();
  return (
    <Radix.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />
        <Radix.Content
          {...focus}
          {...(description ? {} : { 'aria-describedby': undefined })}
          role={alert ? 'alertdialog' : 'dialog'}
          onEscapeKeyDown={stay}
          onInteractOutside={(event) => (alert ? event.preventDefault() : stay(event))}
          className={cx(
            'fixed z-40 flex flex-col overflow-hidden bg-surface shadow-pop outline-none',
            PLACES[place],
            alert ? 'max-w-md' : WIDTHS[place][size],
          )}
        >
          <div
            className={cx('flex items-start gap-4 px-6 pt-5', children ? 'pb-3' : 'pb-6', alert && 'overflow-y-auto')}
          >
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-section font-semibold wrap-break-word">{title}</Radix.Title>
              {description && (
                <Radix.Description asChild>
                  <div className="mt-1 text-body wrap-break-word text-muted">{description}</div>
                </Radix.Description>
              )}
            </div>
            {dismissable && !alert && (
              <Radix.Close asChild>
                <IconButton label="Close" icon={<X />} size="small" className="-mr-2" />
              </Radix.Close>
            )}
          </div>
          {children && <div className="min-h-0 grow overflow-y-auto px-6 pt-1 pb-6">{children}</div>}
          {footer && (
            <div className="mt-auto flex flex-wrap items-center justify-end gap-2 border-t border-line bg-canvas px-6 py-3">
              {footer}
            </div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface ConfirmProps extends Pick<DialogProps, 'open' | 'onClose' | 'children'> {
  /** Names the affected object: "Revoke key “deploy”?" */
  title: string;
  verb: string;
  /** Does not close the dialog. The caller closes it when the action is complete. */
  onConfirm: () => void;
  busy?: boolean | undefined;
  /** Whether the action loses something. Default: true. */
  danger?: boolean | undefined;
  /** The label of the cancel button. Default: "Cancel". Set it where the verb itself is "Cancel". */
  cancel?: string | undefined;
  error?: string | undefined;
}

/** Asks before an action that cannot be undone. The focus is on Cancel. */
export function Confirm(props: ConfirmProps) {
  const { title, children, verb, onConfirm, busy, danger = true, cancel = 'Cancel', error, ...dialog } = props;
  return (
    <Dialog
      alert
      {...dialog}
      title={title}
      description={children}
      footer={
        <>
          <Button onClick={dialog.onClose}>{cancel}</Button>
          <Button variant={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
            {verb}
          </Button>
        </>
      }
    >
      {error && (
        <p role="alert" className="text-body text-danger">
          {error}
        </p>
      )}
    </Dialog>
  );
}
