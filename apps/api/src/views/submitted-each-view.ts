import type { Rejected, Submitted } from '@jobline/engine';
import Joi from 'joi';
import { type SubmittedView, submittedView } from '../endpoints/jobs/job-view.js';
import { errorFields } from '../http/answer-errors.js';
import { view } from '../http/view.js';

/** The response to a batch whose jobs are stored one by one. */
export interface SubmittedEachView {
  jobs: (SubmittedView | Rejected)[];
}

const rejectedView = view<Rejected>('RejectedJob', {
  error: view<Rejected['error']>('RejectedJobError', errorFields, { optional: ['details'] }),
});

export const submittedEachView = view<SubmittedEachView>('SubmittedEach', {
  jobs: Joi.array().items(submittedView, rejectedView).description('In the order of the request.'),
});

export function toSubmittedEachView(answer: Submitted | Rejected): SubmittedView | Rejected {
  return 'error' in answer ? answer : { id: answer.id, status: answer.status };
}
