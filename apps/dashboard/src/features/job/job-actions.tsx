import { Ban, Braces, Ellipsis, RotateCcw, SquareTerminal } from 'lucide-react';
import { Button, Confirm, copyText, IconButton, Menu, toast } from '../../ui/index.js';
import { asCurl, asJson } from './as-text.js';
import type { Job, JobResult } from './use-job.js';
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

/** The menu with copy actions. */
export function JobMenu({ job, result }: { job: Job; result: JobResult | undefined }) {
  const copy = async (text: string, what: string) => {
    if (await copyText(text)) toast.success(`${what} copied`);
    else toast.error('The browser did not allow copying');
  };
  return (
    <Menu
      trigger={<IconButton label="More" icon={<Ellipsis />} />}
      groups={[
        [
          {
            label: 'Copy as curl',
            hint: 'Submits the same job again, with the key in $JOBLINE_KEY',
            icon: <SquareTerminal />,
            onSelect: () => void copy(asCurl(job, location.origin), 'Curl command'),
          },
          {
            label: 'Copy as JSON',
            hint: 'The job with its result',
            icon: <Braces />,
            onSelect: () => void copy(asJson(job, result), 'Job'),
          },
        ],
      ]}
    />
  );
}
