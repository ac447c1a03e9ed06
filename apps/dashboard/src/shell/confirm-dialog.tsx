import { type ReactNode, useState } from 'react';
import { Confirm } from '../ui/index.js';

export interface ConfirmDialogProps {
  /** Names the affected object: "Revoke “backend”?" */
  title: string;
  verb: string;
  /** Describes the effect. */
  children: ReactNode;
  /** The action. The parent removes the dialog in `onDone`. */
  run: () => Promise<void>;
  onDone: () => void;
  onClose: () => void;
}

/** Asks for confirmation and runs the action. If it fails, the dialog stays open and shows why. Open while mounted. */
export function ConfirmDialog({ title, verb, children, run, onDone, onClose }: ConfirmDialogProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await run();
      onDone();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
      setBusy(false);
    }
  };
  return (
    <Confirm
      open
      onOpenChange={(open) => !open && !busy && onClose()}
      title={title}
      verb={verb}
      onConfirm={() => void confirm()}
      busy={busy}
      error={error}
    >
      {children}
    </Confirm>
  );
}
