import { JoblineError } from '@jobline/client';
import { useMutation } from '@tanstack/react-query';
import { Ban, RotateCcw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { retryRisk } from '../../product/job/failure-advice.js';
import { useServices } from '../../services.js';
import { Button, Confirm, toast } from '../../ui/index.js';
import type { Job, JobData } from './queries.js';

/** The main action for the job's status. It is always the same button, so that it keeps the focus. */
export function MainAction({ actions, className }: { actions: JobActions; className?: string }) {
  const { canRetry, canCancel, isCanceling, isBusy, retry, cancel } = actions;
  if (!canRetry && !canCancel && !isCanceling) return null;
  return (
    <Button
      className={className}
      variant={canRetry ? 'primary' : 'secondary'}
      busy={isBusy}
      icon={canRetry ? <RotateCcw /> : <Ban />}
      disabledReason={isCanceling ? 'The job stops when its handler reacts. It may still finish as done.' : undefined}
      onClick={canRetry ? retry : cancel}
    >
      {canRetry ? 'Retry' : isCanceling ? 'Cancel requested' : 'Cancel'}
    </Button>
  );
}

type JobActions = ReturnType<typeof useJobActions>;

/** The actions Retry and Cancel, for buttons and keys, with their state and confirmation. */
export function useJobActions({ id, result, log, refresh }: JobData, job: Job) {
  const { api, queries } = useServices();
  const [isAsking, setAsking] = useState(false);
  const [hasAsked, setHasAsked] = useState(false);

  const act = useMutation({
    mutationFn: (verb: 'retry' | 'cancel') => api.jobs[verb](id),
    onSuccess: ({ status }, verb) => {
      setHasAsked(verb === 'cancel' && status === 'processing');
      queries.setQueryData<Job>(['job', id], (known) => known && { ...known, status });
      refresh();
    },
    onError: (error, verb) => {
      toast.error(`The job was not ${verb === 'retry' ? 'retried' : 'canceled'}`, { detail: error.message });
      // Another user has already changed the job, so the page is outdated.
      if (error instanceof JoblineError && error.status === 409) refresh();
    },
    onSettled: () => setAsking(false),
  });

  const { status } = job;
  useEffect(() => {
    if (status !== 'processing') setHasAsked(false);
  }, [status]);

  const last = log.lines.at(-1)?.attempt;
  // The worker logs a request to cancel, so that every reader sees it.
  const isSaid = log.lines.some(({ attempt, kind }) => attempt === last && kind === 'canceled');
  const isCanceling = status === 'processing' && (hasAsked || isSaid);
  const risk = retryRisk(job.type, result.data?.error?.code ?? null);
  const canRetry = status === 'failed';
  const canCancel = (status === 'pending' || status === 'processing') && !isCanceling;
  const isBusy = act.isPending;

  const confirmation = (
    <Confirm
      open={isAsking}
      onClose={() => setAsking(false)}
      title={`Retry this ${job.type} job?`}
      verb="Retry anyway"
      onConfirm={() => act.mutate('retry')}
      busy={isBusy}
    >
      {risk}
    </Confirm>
  );
  const actions = {
    canRetry,
    canCancel,
    isCanceling,
    isBusy,
    retry: () => (risk === null ? act.mutate('retry') : setAsking(true)),
    cancel: () => act.mutate('cancel'),
    /** Asks before a retry that may do something twice. */
    confirmation,
  };
  useShortcut({ keys: 'r', label: 'Retry', group: 'Job', run: actions.retry }, { enabled: !isBusy && canRetry });
  useShortcut({ keys: 'c', label: 'Cancel', group: 'Job', run: actions.cancel }, { enabled: !isBusy && canCancel });
  return actions;
}
