import { NAME_PATTERN } from '@jobline/contracts';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { empty } from '../../http/response-specs.js';

/** Deletes a finished job with everything that belongs to it. */
export const deleteJob = defineEndpoint({
  method: 'delete',
  path: '/jobs/:id',
  summary: 'Delete a finished job',
  auth: 'jobs:write',
  right: 'jobs',
  needs: ['delete'],
  limits: { org: 'control' },
  params: { id: NAME_PATTERN },
  responses: {
    204: empty('The job, its log, its artifacts and the texts of its messages are deleted. Its id can be used again.'),
  },
  errors: ['conflict'],
  async handle({ deps, principal, params: { id } }) {
    if (!(await deps.delete(principal.orgId, id))) throw notFound();
    return { status: 204 };
  },
});
