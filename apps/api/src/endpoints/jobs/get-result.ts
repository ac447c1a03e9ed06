import { NAME_PATTERN } from '@jobline/contracts';
import { findResult } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/http-errors.js';
import { json } from '../../http/responses.js';
import { resultView, toResultView } from '../../views/job-view.js';

/** How a job's latest attempt went. */
export const getResult = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/result',
  summary: "Read a job's result",
  auth: 'bearer-or-key',
  right: 'jobs',
  params: { id: NAME_PATTERN },
  responses: {
    200: json(
      'The result so far; `result` is null until the job is done, or something becomes known of one that failed.',
      resultView,
    ),
  },
  async handle({ deps, principal, params }) {
    const result = await findResult(deps.db, principal.orgId, params.id);
    if (!result) throw notFound();
    return { status: 200, body: toResultView(result) };
  },
});
