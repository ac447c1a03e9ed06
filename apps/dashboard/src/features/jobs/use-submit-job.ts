import { useNavigate } from '@tanstack/react-router';
import { type Submission, submitJob } from '../../api/submit-job.js';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { useApi } from '../../services.js';
import { toast } from '../../ui/index.js';
import { type Filters, type Job, matches } from './filters.js';

/** Submits a job, adds it on top of the list, and shows a link to it. Repeating a failed submission creates one job. */
export function useSubmitJob(filters: Filters, insert: (job: Job) => void): (body: Submission) => Promise<void> {
  const api = useApi();
  const keys = useIdempotencyKey('job');
  const navigate = useNavigate();

  return async (submission) => {
    const { id } = await submitJob(api, keys.of(submission), submission);
    const job: Job = await api.jobs.get(id);
    keys.forget();
    const isShown = matches(filters, job);
    if (isShown) insert(job);
    toast.success(`${job.type} is submitted`, {
      detail: isShown ? undefined : 'The current filters hide this job.',
      action: { label: 'Open', onAction: () => void navigate({ to: '/job/$id', params: { id } }) },
    });
  };
}
