import type { ReactNode } from 'react';
import { Button } from './button.js';
import { Dialog } from './dialog.js';

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
export function Confirm(props: ConfirmProps) {
  const { open, onOpenChange, title, children, verb, onConfirm, busy, danger = true, cancel = 'Cancel', error } = props;
  return (
    <Dialog
      alert
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      description={children}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{cancel}</Button>
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
