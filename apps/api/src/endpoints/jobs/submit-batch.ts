import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/responses.js';
import { submittedBatchView } from '../../views/job-view.js';
import { precheck } from './precheck.js';
import { batchBody, pathIn } from './submission-batch.js';

/** Accepts many jobs at once, all of them or none. Answers once they are committed. */
export const submitBatch = defineEndpoint({
  method: 'post',
  path: '/jobs/batch',
  summary: 'Submit up to 1,000 jobs: all of them or none',
  auth: 'bearer-or-key',
  right: 'jobs',
  needs: ['catalogue', 'compose', 'submitBatch'],
  idempotent: true,
  limits: { org: 'submit', cost: (jobs) => jobs.length, stores: true },
  body: batchBody,
  responses: { 202: json('All jobs are stored and will run.', submittedBatchView, ['Idempotent-Replayed?']) },
  errors: ['conflict', 'idempotency_key_reused', 'sender_domain_not_verified', 'sender_not_registered'],
  async handle({ deps, principal, body, idempotencyKey, traceparent, getSignal }) {
    await precheck(deps, principal.orgId, body, pathIn, getSignal);
    const jobs = await deps.submitBatch(principal.orgId, {
      endpoint: '/jobs/batch',
      submissions: body,
      idempotencyKey,
      traceparent,
      pathIn,
    });
    return {
      status: 202,
      body: { jobs: jobs.map(({ id, status }) => ({ id, status })) },
      headers: jobs.every((job) => job.replayed) ? { 'Idempotent-Replayed': 'true' } : undefined,
    };
  },
});
