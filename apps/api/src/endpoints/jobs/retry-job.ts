import { NAME_PATTERN } from '@jobline/contracts';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { json } from '../../http/response-specs.js';
import { submittedView } from '../../views/job-view.js';

/** Retries a failed job. */
export const retryJob = defineEndpoint({
  method: 'post',
  path: '/jobs/:id/retry',
  summary: 'Retry a failed job',
  auth: 'jobs:write',
  right: 'jobs',
  needs: ['retry'],
  limits: { org: 'control' },
  params: { id: NAME_PATTERN },
  responses: { 202: json('The job is pending again with all its retries. Attempt numbers continue.', submittedView) },
  errors: ['conflict'],
  async handle({ deps, principal, params: { id } }) {
    const status = await deps.retry(principal.orgId, id);
    if (!status) throw notFound();
    return { status: 202, body: { id, status } };
  },
});
