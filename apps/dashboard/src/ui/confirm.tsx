import { AlertDialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button } from './button.js';
import { useFocusReturn } from './use-focus-return.js';

export interface ConfirmProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Names the affected object: "Revoke key “deploy”?" */
  title: string;
  /** Describes the effect. */
  children: ReactNode;
  /** The label of the confirm button: "Revoke". */
  verb: string;
  /** Does not close the dialog. The caller closes it when the action is complete. */
  onConfirm: () => void;
  busy?: boolean | undefined;
  /** Whether the action loses something. Default: true. */
  danger?: boolean | undefined;
  /** The label of the cancel button. Default: "Cancel". Set it where the verb itself is "Cancel". */
  cancel?: string | undefined;
  /** Why the action failed. The dialog stays open and shows it. */
  error?: string | undefined;
}

/** Asks before an action that cannot be undone. The focus is on Cancel. */
export function Confirm({
  open,
  onOpenChange,
  title,
  children,
  verb,
  onConfirm,
  busy,
  danger = true,
  cancel = 'Cancel',
  error,
}: ConfirmProps) {
  const { onOpenAutoFocus, onCloseAutoFocus } = useFocusReturn({ into: 'own-choice' });
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />
        <AlertDialog.Content
          onOpenAutoFocus={onOpenAutoFocus}
          onCloseAutoFocus={onCloseAutoFocus}
          className="fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-md -translate-1/2 animate-fade flex-col overflow-hidden rounded-dialog border border-line bg-surface shadow-pop"
        >
          <div className="overflow-y-auto px-6 pt-5 pb-6">
            <AlertDialog.Title className="text-section font-semibold wrap-break-word">{title}</AlertDialog.Title>
            <AlertDialog.Description asChild>
              <div className="mt-1 text-body wrap-break-word text-muted">{children}</div>
            </AlertDialog.Description>
            {error && (
              <p role="alert" className="mt-3 text-body text-danger">
                {error}
              </p>
            )}
          </div>
          <div className="flex flex-wrap justify-end gap-2 border-t border-line bg-canvas px-6 py-3">
            <AlertDialog.Cancel asChild>
              <Button>{cancel}</Button>
            </AlertDialog.Cancel>
            <Button variant={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
              {verb}
            </Button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
