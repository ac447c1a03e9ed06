import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/replies.js';
import { submittedView } from '../../views/job-view.js';
import { submissionBody } from './submission.js';

/** Takes a job. Answered once it is committed; from then on it is never lost. */
export const submitJob = defineEndpoint({
  method: 'post',
  path: '/jobs',
  summary: 'Submit a job',
  auth: 'bearer-or-key',
  right: 'jobs',
  body: submissionBody,
  responses: { 202: json('The job is stored and will run.', submittedView, ['Idempotent-Replayed?']) },
  errors: ['conflict'],
  async handle({ deps, principal, body }) {
    const { id, status, replayed } = await deps.submit(principal.orgId, body);
    return { status: 202, body: { id, status }, headers: replayed ? { 'Idempotent-Replayed': 'true' } : undefined };
  },
});
