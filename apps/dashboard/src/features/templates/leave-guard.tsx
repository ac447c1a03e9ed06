import { ConfirmLeave } from '../../shell/confirm-leave.js';

/** Asks before somebody leaves what is not saved: for another template, another page, or back. */
export function LeaveGuard({ isDirty, name, onDiscard }: { isDirty: boolean; name: string; onDiscard: () => void }) {
  return (
    <ConfirmLeave
      when={isDirty}
      isLeaving={(from, to) => placeOf(from) !== placeOf(to)}
      title="Leave without saving?"
      verb="Discard changes"
      cancel="Keep editing"
      onLeave={onDiscard}
    >
      What you changed in {name === '' ? 'the new template' : `“${name}”`} is not saved and would be lost.
    </ConfirmLeave>
  );
}

/** The editor's own tabs are no leaving. */
function placeOf({ pathname, search }: { pathname: string; search: object }): string {
  const { id, new: isNew }: { id?: unknown; new?: unknown } = search;
  return JSON.stringify([pathname, id ?? null, isNew ?? null]);
}
