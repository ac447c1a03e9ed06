import type { Jobline } from '@jobline/client';
import { useMutation } from '@tanstack/react-query';
import { useBlocker, useNavigate } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { useChange } from '../api/use-change.js';
import type { ListId } from '../api/use-list.js';
import { useServices } from '../services.js';
import { Confirm, toast } from '../ui/index.js';

type ConfirmProps = ComponentProps<typeof Confirm>;

interface ConfirmDialogProps extends Pick<ConfirmProps, 'title' | 'verb' | 'children'> {
  run: () => Promise<unknown>;
  /** Called after the action has succeeded. The parent then removes the dialog. Default: `onClose`. */
  onDone?: (() => void) | undefined;
  onClose: () => void;
}

/** Asks for confirmation and runs the action. If it fails, the dialog stays open and shows why. Open while mounted. */
export function ConfirmDialog({ run, onClose, onDone = onClose, ...words }: ConfirmDialogProps) {
  const action = useMutation({
    mutationFn: async () => void (await run()),
    onSuccess: () => onDone(),
    networkMode: 'always', // without a network it fails at once
  });
  const busy = action.isPending || action.isSuccess;
  return (
    <Confirm
      onClose={() => !busy && onClose()}
      onConfirm={() => action.mutate()}
      busy={busy}
      error={action.error?.message}
      {...words}
    />
  );
}

interface DeleteDialogProps extends Omit<ConfirmDialogProps, 'verb' | 'run' | 'onDone'> {
  /** The list that has the row. */
  from: ListId;
  remove: (api: Jobline) => Promise<unknown>;
  verb?: string;
  /** What a toast says after the row was deleted. */
  done?: string;
  /** The page of the list. It then opens without the row, whose id is in the address. */
  page?: '/domains' | '/limits' | '/schedules' | '/webhooks';
  /** Called after the row was deleted. Default: `onClose`, if no page opens. */
  onDeleted?: () => void;
}

/** Asks for confirmation, deletes a row of a list, and removes it from the page. Open while mounted. */
export function DeleteDialog(props: DeleteDialogProps) {
  const { from, remove, verb = 'Remove', done, page, onDeleted = props.onClose, ...dialog } = props;
  // The row is removed before the dialog closes, so that the focus does not return to it.
  const run = useChange(remove, from);
  const navigate = useNavigate();
  const onDone = () => {
    if (done !== undefined) toast.success(done);
    if (page) void navigate({ to: page, search: {}, replace: true });
    else onDeleted();
  };
  return <ConfirmDialog {...dialog} verb={verb} run={run} onDone={onDone} />;
}

type Location = { pathname: string; search: object };

interface ConfirmLeaveProps extends Pick<ConfirmProps, 'title' | 'verb' | 'cancel' | 'children'> {
  when: boolean;
  /** Whether a navigation leaves the content. Default: every navigation does. */
  isLeaving?: ((from: Location, to: Location) => boolean) | undefined;
  /** Called before the navigation continues. */
  onLeave?: (() => void) | undefined;
}

/**
 * Asks before a navigation that would lose something. Signing out is not blocked. For closing the tab, the browser
 * asks: see `useUnloadWarning`.
 */
export function ConfirmLeave({ when, isLeaving = () => true, onLeave, ...words }: ConfirmLeaveProps) {
  const { session } = useServices();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => when && session.token() !== null && isLeaving(current, next),
    enableBeforeUnload: false,
    withResolver: true,
  });
  return (
    <Confirm
      open={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      onConfirm={() => {
        onLeave?.();
        blocker.proceed?.();
      }}
      {...words}
    />
  );
}
