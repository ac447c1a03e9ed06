import { JOB_STATUSES, type JobStatus, NAME_PATTERN } from '@jobline/contracts';
import type { Rejected, Submitted } from '@jobline/engine';
import Joi from 'joi';
import { errorFields } from '../../http/answer-errors.js';
import { view } from '../../http/view.js';

/** The response to a submission. */
export interface SubmittedView {
  id: string;
  status: JobStatus;
}

export const submittedView = view<SubmittedView>('SubmittedJob', {
  id: Joi.string().pattern(NAME_PATTERN),
  status: Joi.valid(...JOB_STATUSES),
});

export const submittedBatchView = view<{ jobs: SubmittedView[] }>('SubmittedJobs', {
  jobs: Joi.array().items(submittedView).description('In the order of the request.'),
});

const rejectedView = view<Rejected>('RejectedJob', {
  error: view<Rejected['error']>('RejectedJobError', errorFields, { optional: ['details'] }),
});

/** The response to a batch whose jobs are stored one by one. */
export const submittedEachView = view<{ jobs: (SubmittedView | Rejected)[] }>('SubmittedEach', {
  jobs: Joi.array().items(submittedView, rejectedView).description('In the order of the request.'),
});

export function toSubmittedView<A extends Submitted | Rejected>(answer: A) {
  return 'error' in answer ? answer : { id: answer.id, status: answer.status };
}

/** The response to a request that submits one job. */
export function toSubmittedResponse({ id, status, replayed }: Submitted) {
  return {
    status: 202 as const,
    body: { id, status },
    headers: replayed ? { 'Idempotent-Replayed': 'true' } : undefined,
  };
}
