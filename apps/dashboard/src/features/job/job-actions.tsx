import { JoblineError } from '@jobline/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ban, RotateCcw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { retryRisk } from '../../product/job/failure-advice.js';
import { useApi } from '../../services.js';
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

type JobActions = ReturnType<typeof useJobActions>;

/** The actions Retry and Cancel, for buttons and keys, with their state and confirmation. */
export function useJobActions({ id, job: { data: job }, result, log, refresh }: JobData) {
  const api = useApi();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [hasAsked, setHasAsked] = useState(false);

  const onError = (verb: string) => (error: Error) => {
    toast.error(`The job was not ${verb}`, { detail: error.message });
    // Another user has already changed the job, so the page is outdated.
    if (error instanceof JoblineError && error.status === 409) refresh();
  };
  const settle = ({ status }: { status: Job['status'] }) => {
    queries.setQueryData<Job>(['job', id], (known) => known && { ...known, status });
    refresh();
  };
  const retry = useMutation({
    mutationFn: () => api.jobs.retry(id),
    onSuccess: settle,
    onError: onError('retried'),
    onSettled: () => setAsking(false),
  });
  const cancel = useMutation({
    mutationFn: () => api.jobs.cancel(id),
    onSuccess: (answer) => {
      setHasAsked(answer.status === 'processing');
      settle(answer);
    },
    onError: onError('canceled'),
  });

  const status = job?.status;
  useEffect(() => {
    if (status !== 'processing') setHasAsked(false);
  }, [status]);

  const last = log.lines.at(-1)?.attempt;
  // The worker logs a request to cancel, so that every reader sees it.
  const isSaid = log.lines.some(({ attempt, kind }) => attempt === last && kind === 'canceled');
  const isCanceling = status === 'processing' && (hasAsked || isSaid);
  const risk = job ? retryRisk(job.type, result.data?.error?.code ?? null) : null;
  const canRetry = status === 'failed';
  const canCancel = (status === 'pending' || status === 'processing') && !isCanceling;

  const actions = {
    canRetry,
    canCancel,
    isCanceling,
    isBusy: retry.isPending || cancel.isPending,
    /** Why a retry needs a confirmation; null if it needs none. */
    risk,
    isAsking,
    setAsking,
    retry: () => (risk === null ? retry.mutate() : setAsking(true)),
    retryAnyway: () => retry.mutate(),
    cancel: () => cancel.mutate(),
  };
  const enabled = !actions.isBusy;
  useShortcut({ keys: 'r', label: 'Retry', group: 'Job', run: actions.retry }, { enabled: enabled && canRetry });
  useShortcut({ keys: 'c', label: 'Cancel', group: 'Job', run: actions.cancel }, { enabled: enabled && canCancel });
  return actions;
}
