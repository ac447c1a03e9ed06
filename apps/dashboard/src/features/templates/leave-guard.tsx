import { useBlocker } from '@tanstack/react-router';
import { useServices } from '../../services.js';
import { Confirm } from '../../ui/index.js';

/** Asks before somebody leaves what is not saved: for another template, another page, or back. */
export function LeaveGuard({ isDirty, name, onDiscard }: { isDirty: boolean; name: string; onDiscard: () => void }) {
  const { session } = useServices();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && session.token() !== null && placeOf(current) !== placeOf(next),
    enableBeforeUnload: false, // the draft asks
    withResolver: true,
  });
  return (
    <Confirm
      open={blocker.status === 'blocked'}
      onOpenChange={(open) => !open && blocker.reset?.()}
      title="Leave without saving?"
      verb="Discard changes"
      cancel="Keep editing"
      onConfirm={() => {
        onDiscard();
        blocker.proceed?.();
      }}
    >
      What you changed in {name === '' ? 'the new template' : `“${name}”`} is not saved and would be lost.
    </Confirm>
  );
}

/** The editor's own tabs are no leaving. */
function placeOf({ pathname, search }: { pathname: string; search: object }): string {
  const { id, new: isNew }: { id?: unknown; new?: unknown } = search;
  return JSON.stringify([pathname, id ?? null, isNew ?? null]);
}
