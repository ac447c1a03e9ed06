import { type ReactNode, useState } from 'react';
import { Confirm } from '../ui/index.js';

export interface ConfirmDialogProps {
  /** Names the thing: "Revoke “backend”?" */
  title: string;
  verb: string;
  /** Names the effect. */
  children: ReactNode;
  /** Does it. Whoever shows this takes it away in `onDone`. */
  run: () => Promise<void>;
  onDone: () => void;
  onClose: () => void;
}

/** Asks, does it, and stays open with the reason where it fails. Open while it is mounted. */
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
