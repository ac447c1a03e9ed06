import { ConfirmLeave } from '../../shell/confirm-leave.js';

/** Asks before a navigation that would lose unsaved changes of the template. */
export function LeaveGuard({ isDirty, name, onDiscard }: { isDirty: boolean; name: string; onDiscard: () => void }) {
  return (
    <ConfirmLeave
      when={isDirty}
      isLeaving={(from, to) => templateOf(from) !== templateOf(to)}
      title="Leave without saving?"
      verb="Discard changes"
      cancel="Keep editing"
      onLeave={onDiscard}
    >
      The changes in {name === '' ? 'the new template' : `“${name}”`} are not saved and would be lost.
    </ConfirmLeave>
  );
}

/** Identifies the template in a location. Switching the tabs of the editor does not change it. */
function templateOf({ pathname, search }: { pathname: string; search: object }): string {
  const { id, new: isNew }: { id?: unknown; new?: unknown } = search;
  return JSON.stringify([pathname, id ?? null, isNew ?? null]);
}
