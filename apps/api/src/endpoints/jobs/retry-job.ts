import { NAME_PATTERN } from '@jobline/contracts';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/http-errors.js';
import { json } from '../../http/responses.js';
import { submittedView } from '../../views/job-view.js';

/** Has a failed job run again. */
export const retryJob = defineEndpoint({
  method: 'post',
  path: '/jobs/:id/retry',
  summary: 'Run a failed job again',
  auth: 'bearer-or-key',
  right: 'jobs',
  limits: { org: 'control' },
  params: { id: NAME_PATTERN },
  responses: { 202: json('It is pending again, with all its retries; attempt numbers go on.', submittedView) },
  errors: ['conflict'],
  async handle({ deps, principal, params: { id } }) {
    const status = await deps.retry(principal.orgId, id);
    if (!status) throw notFound();
    return { status: 202, body: { id, status } };
  },
});
