import { NAME_PATTERN } from '@jobline/contracts';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { json } from '../../http/response-specs.js';
import { submittedView } from '../../views/job-view.js';

/** Cancels a job. If it is running, its handler is asked to stop. */
export const cancelJob = defineEndpoint({
  method: 'post',
  path: '/jobs/:id/cancel',
  summary: 'Cancel a job',
  auth: 'jobs:write',
  right: 'jobs',
  needs: ['cancel'],
  limits: { org: 'control' },
  params: { id: NAME_PATTERN },
  responses: {
    202: json(
      '`failed`: the job will not run (again). `processing`: its handler was asked to stop, if it has not finished yet.',
      submittedView,
    ),
  },
  errors: ['conflict'],
  async handle({ deps, principal, params: { id } }) {
    const status = await deps.cancel(principal.orgId, id);
    if (!status) throw notFound();
    return { status: 202, body: { id, status } };
  },
});
