import type { Rejected, Submitted } from '@jobline/engine';
import Joi from 'joi';
import { requireType } from '../../auth/visible-types.js';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/response-specs.js';
import { submittedEachView, toSubmittedEachView } from '../../views/submitted-each-view.js';
import { submittedBatchView } from './job-view.js';
import { precheck } from './precheck.js';
import { typeNameIn } from './submission.js';
import { BATCH_MODES, type BatchQuery, batchBody, pathIn } from './submission-batch.js';
import { submitEach } from './submit-each.js';

/** Accepts many jobs at once: all of them or none, or those that are valid. Answers once they are committed. */
export const submitBatch = defineEndpoint({
  method: 'post',
  path: '/jobs/batch',
  summary: 'Submit up to 1,000 jobs: all of them or none, or each that is valid',
  auth: 'jobs:write',
  right: 'jobs',
  needs: ['catalogue', 'compose', 'customTypes', 'submitBatch', 'submitEach'],
  idempotent: true,
  limits: { org: 'submit', cost: ({ jobs }) => jobs.length, stores: true },
  query: Joi.object<BatchQuery>({
    mode: Joi.valid(...BATCH_MODES)
      .default('all')
      .description('`each`: the valid jobs are stored, and each other one has an error in the response.'),
  }),
  body: batchBody,
  responses: {
    200: json('With `mode=each`: what became of each job.', submittedEachView, ['Idempotent-Replayed?']),
    202: json('All jobs are stored and will run.', submittedBatchView, ['Idempotent-Replayed?']),
  },
  errors: ['conflict', 'idempotency_key_reused', 'sender_domain_not_verified', 'sender_not_registered'],
  async handle({ body, ...call }) {
    if (body.mode === 'each') {
      const { answers, isReplay } = await submitEach({ ...call, body });
      const headers = isReplay || answers.every(isReplayed) ? REPLAYED : undefined;
      return { status: 200, body: { jobs: answers.map(toSubmittedEachView) }, headers };
    }
    const { deps, principal, idempotencyKey, traceparent, getSignal } = call;
    for (const [n, job] of body.jobs.entries()) requireType(principal, job.type, pathIn(n, typeNameIn(job)));
    await precheck(deps, principal.orgId, body.jobs, pathIn, getSignal);
    const jobs = await deps.submitBatch(principal.orgId, {
      endpoint: '/jobs/batch',
      submissions: body.jobs,
      idempotencyKey,
      traceparent,
      pathIn,
    });
    return {
      status: 202,
      body: { jobs: jobs.map(({ id, status }) => ({ id, status })) },
      headers: jobs.every(isReplayed) ? REPLAYED : undefined,
    };
  },
});

const REPLAYED = { 'Idempotent-Replayed': 'true' };

function isReplayed(answer: Submitted | Rejected): boolean {
  return 'replayed' in answer && answer.replayed;
}
