import { formatCount } from '../../format/index.js';
import { Button, Confirm, SelectionBar } from '../../ui/index.js';
import { isEligible, type JobActions, type Verb } from './list-actions.js';
import type { Job } from './model.js';

interface SelectionActionsProps {
  selected: readonly Job[];
  onClear: () => void;
  actions: JobActions;
}

/** The actions for the selected jobs, with the number of eligible jobs. */
export function SelectionActions({ selected, onClear, actions }: SelectionActionsProps) {
  const button = (verb: Verb, name: string, none: string) => {
    const count = selected.filter((job) => isEligible(verb, job)).length;
    return (
      <Button
        size="small"
        busy={actions.busy === verb}
        disabledReason={count === 0 ? none : undefined}
        onClick={() => actions.start(verb, selected)}
      >
        {name} {count}
      </Button>
    );
  };
  return (
    <>
      <SelectionBar count={selected.length} onClear={onClear}>
        {button('retry', 'Retry', 'None of the selected jobs has failed.')}
        {button('cancel', 'Cancel', 'None of the selected jobs is waiting or running.')}
      </SelectionBar>
      <ConfirmAction actions={actions} />
    </>
  );
}

function ConfirmAction({ actions: { asked, busy, forget, confirm } }: { actions: JobActions }) {
  const verb = asked?.verb ?? 'retry';
  const jobs = asked?.jobs ?? [];
  const many = formatCount(jobs.length, 'job');
  return (
    <Confirm
      open={asked !== null}
      onOpenChange={(open) => !open && forget()}
      title={verb === 'retry' ? `Retry ${many}?` : `Cancel ${many}?`}
      verb={verb === 'retry' ? `Retry ${many}` : `Cancel ${many}`}
      cancel="Keep as is"
      danger={verb === 'cancel'}
      busy={busy !== null}
      onConfirm={confirm}
    >
      {verb === 'cancel' && 'Waiting jobs will not run. Running jobs are asked to stop and may still finish as done.'}
      {verb === 'retry' && 'Each job runs again with all its retries.'}
    </Confirm>
  );
}
