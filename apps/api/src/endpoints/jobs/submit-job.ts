import type { SubmittedView } from '@jobline/contracts';
import { defineEndpoint } from '../../endpoint.js';
import { submissionBody } from './submission.js';

/** Takes a job. Answered once it is committed; from then on it is never lost. */
export const submitJob = defineEndpoint({
  method: 'post',
  path: '/jobs',
  summary: 'Submit a job',
  auth: 'bearer-or-key',
  right: 'jobs',
  body: submissionBody,
  responses: { 202: 'The job is stored and will run. `Idempotent-Replayed: true`: it was stored before.' },
  errors: ['conflict'],
  async handle({ deps, principal, body }) {
    const { id, status, replayed } = await deps.submit(principal.orgId, body);
    const view: SubmittedView = { id, status };
    return { status: 202, body: view, headers: replayed ? { 'Idempotent-Replayed': 'true' } : undefined };
  },
});
