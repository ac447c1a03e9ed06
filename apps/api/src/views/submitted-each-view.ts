import type { Rejected, Submitted } from '@jobline/engine';
import Joi from 'joi';
import { errorFields } from './error-view.js';
import { type SubmittedView, submittedView } from './job-view.js';
import { view } from './view.js';

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
