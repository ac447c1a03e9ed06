import { NAME_PATTERN } from '@jobline/contracts';
import { findResult } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { json } from '../../http/response-specs.js';
import { resultView, toResultView } from '../../views/job-view.js';

/** The result of a job's latest attempt. */
export const getResult = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/result',
  summary: "Read a job's result",
  auth: 'jobs:read',
  right: 'jobs',
  needs: ['db'],
  params: { id: NAME_PATTERN },
  responses: {
    200: json(
      'The result so far. `result` is null until the job is done. A failed job has one if its provider reported it later.',
      resultView,
    ),
  },
  async handle({ deps, principal, params }) {
    const result = await findResult(deps.db, principal.orgId, params.id);
    if (!result) throw notFound();
    return { status: 200, body: toResultView(result) };
  },
});
