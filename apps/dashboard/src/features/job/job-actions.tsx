import { Ban, RotateCcw } from 'lucide-react';
import { Button, Confirm } from '../../ui/index.js';
import type { JobActions } from './use-job-actions.js';

/** The main action for the job's status. It is always the same button, so that it keeps the focus. */
export function MainAction({ actions, className }: { actions: JobActions; className?: string }) {
  const { canRetry, canCancel, isCanceling, isBusy, retry, cancel } = actions;
  if (!canRetry && !canCancel && !isCanceling) return null;
  return (
    <Button
      className={className}
      variant={canRetry ? 'primary' : 'secondary'}
      busy={isBusy}
      icon={canRetry ? <RotateCcw aria-hidden="true" /> : <Ban aria-hidden="true" />}
      disabledReason={isCanceling ? 'The job stops when its handler reacts. It may still finish as done.' : undefined}
      onClick={canRetry ? retry : cancel}
    >
      {canRetry ? 'Retry' : isCanceling ? 'Cancel requested' : 'Cancel'}
    </Button>
  );
}

export function RetryConfirm({ type, actions }: { type: string; actions: JobActions }) {
  const { risk, isAsking, setAsking, retryAnyway, isBusy } = actions;
  return (
    <Confirm
      open={isAsking}
      onOpenChange={setAsking}
      title={`Retry this ${type} job?`}
      verb="Retry anyway"
      onConfirm={retryAnyway}
      busy={isBusy}
    >
      {risk}
    </Confirm>
  );
}
