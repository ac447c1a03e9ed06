import type { Jobline } from '@jobline/client';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ListId } from '../api/use-list.js';
import { useApi } from '../services.js';
import { ConfirmDialog } from './confirm-dialog.js';

export interface DeleteDialogProps {
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
  const api = useApi();
  const queries = useQueryClient();
  const run = async () => {
    await remove(api);
    // The row is removed before the dialog closes, so that the focus does not return to it.
    await queries.invalidateQueries({ queryKey: [from] });
  };
  return (
    <ConfirmDialog title={title} verb={verb} run={run} onDone={onDeleted ?? onClose} onClose={onClose}>
      {children}
    </ConfirmDialog>
  );
}
