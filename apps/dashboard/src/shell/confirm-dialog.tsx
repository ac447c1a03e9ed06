import type { Jobline } from '@jobline/client';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useChange } from '../api/use-change.js';
import type { ListId } from '../api/use-list.js';
import { useServices } from '../services.js';
import { Confirm } from '../ui/index.js';

interface ConfirmDialogProps {
  /** Names the affected object: "Revoke “backend”?" */
  title: string;
  verb: string;
  /** Describes the effect. */
  children: ReactNode;
  /** The action. The parent removes the dialog in `onDone`. */
  run: () => Promise<unknown>;
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

interface DeleteDialogProps {
  /** The list that has the row. */
  from: ListId;
  /** Deletes the row in the API. */
  remove: (api: Jobline) => Promise<unknown>;
  title: string;
  verb?: string;
  /** Describes the effect. */
  children: ReactNode;
  /** Called after the row was deleted. Default: `onClose`. */
  onDeleted?: () => void;
  onClose: () => void;
}

/** Asks for confirmation, deletes a row of a list, and removes it from the page. Open while mounted. */
export function DeleteDialog({
  from,
  remove,
  title,
  verb = 'Remove',
  children,
  onDeleted,
  onClose,
}: DeleteDialogProps) {
  // The row is removed before the dialog closes, so that the focus does not return to it.
  const run = useChange(remove, from);
  return (
    <ConfirmDialog title={title} verb={verb} run={run} onDone={onDeleted ?? onClose} onClose={onClose}>
      {children}
    </ConfirmDialog>
  );
}

interface Location {
  pathname: string;
  search: object;
}

interface ConfirmLeaveProps {
  /** Whether leaving now would lose something. */
  when: boolean;
  /** Whether a navigation leaves the content. Default: every navigation does. */
  isLeaving?: ((from: Location, to: Location) => boolean) | undefined;
  title: string;
  verb: string;
  cancel: string;
  /** Called before the navigation continues. */
  onLeave?: (() => void) | undefined;
  /** Describes what would be lost. */
  children: ReactNode;
}

/**
 * Asks before a navigation that would lose something. Signing out is not blocked. For closing the tab, the browser
 * asks: see `useUnloadWarning`.
 */
export function ConfirmLeave({ when, isLeaving = () => true, onLeave, children, ...words }: ConfirmLeaveProps) {
  const { session } = useServices();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => when && session.token() !== null && isLeaving(current, next),
    enableBeforeUnload: false,
    withResolver: true,
  });
  return (
    <Confirm
      open={blocker.status === 'blocked'}
      onOpenChange={(open) => !open && blocker.reset?.()}
      onConfirm={() => {
        onLeave?.();
        blocker.proceed?.();
      }}
      {...words}
    >
      {children}
    </Confirm>
  );
}
