import { NAME_PATTERN } from '@jobline/contracts';
import { findJob } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/http-errors.js';
import { json } from '../../http/responses.js';
import { jobView, toJobView } from '../../views/job-view.js';

/** A job with its payload. */
export const getJob = defineEndpoint({
  method: 'get',
  path: '/jobs/:id',
  summary: 'Read a job',
  auth: 'bearer-or-key',
  right: 'jobs',
  needs: ['db', 'findWaitingFor'],
  params: { id: NAME_PATTERN },
  responses: { 200: json('The job.', jobView) },
  async handle({ deps, principal, params }) {
    const job = await findJob(deps.db, principal.orgId, params.id);
    if (!job) throw notFound();
    // The job may have started since it was read: then it is shown as pending, about to start.
    const isPending = job.status === 'pending';
    const waitingFor = isPending ? ((await deps.findWaitingFor(principal.orgId, params.id)) ?? null) : undefined;
    return { status: 200, body: toJobView(job, waitingFor) };
  },
});
