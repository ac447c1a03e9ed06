import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { paths } from '../generated/api.js';
import { useApi } from '../services.js';
import { ConfirmDialog } from './confirm-dialog.js';

/** The paths of lists whose rows can be deleted by their ids. */
type List = { [P in keyof paths]: paths[P] extends { delete: object } ? BeforeId<P> : never }[keyof paths];
type BeforeId<P extends string> = P extends `${infer Before}/{id}` ? Before : never;

export interface DeleteDialogProps {
  /** The list and the row to delete. */
  from: List;
  id: string;
  title: string;
  verb?: string;
  /** Describes the effect. */
  children: ReactNode;
  /** Called after the row was deleted. Default: `onClose`. */
  onDeleted?: () => void;
  onClose: () => void;
}

/** Asks for confirmation, deletes a row of a list, and removes it from the page. Open while mounted. */
export function DeleteDialog({ from, id, title, verb = 'Remove', children, onDeleted, onClose }: DeleteDialogProps) {
  const api = useApi();
  const queries = useQueryClient();
  const remove = async () => {
    // The cast: openapi-fetch cannot infer its types for a path that is not a literal.
    await api.DELETE(`${from}/{id}` as '/org/domains/{id}', { params: { path: { id } } });
    // The row is removed before the dialog closes, so that the focus does not return to it.
    await queries.invalidateQueries({ queryKey: [from] });
  };
  return (
    <ConfirmDialog title={title} verb={verb} run={remove} onDone={onDeleted ?? onClose} onClose={onClose}>
      {children}
    </ConfirmDialog>
  );
}
