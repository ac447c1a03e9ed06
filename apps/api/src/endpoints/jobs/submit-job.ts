import type { Submitted } from '@jobline/engine';
import { type Call, defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/replies.js';
import { submittedView } from '../../views/job-view.js';
import { admit } from './admit.js';
import { type ReadSubmission, submissionBody } from './submission.js';

/** Takes a job. Answered once it is committed; from then on it is never lost. */
export const submitJob = defineEndpoint({
  method: 'post',
  path: '/jobs',
  summary: 'Submit a job',
  auth: 'bearer-or-key',
  right: 'jobs',
  idempotent: true,
  limits: { org: 'submit', stores: true },
  body: submissionBody,
  responses: { 202: json('The job is stored and will run.', submittedView, ['Idempotent-Replayed?']) },
  errors: ['conflict', 'idempotency_key_reused', 'sender_domain_not_verified', 'sender_not_registered'],
  async handle(call) {
    const { id, status, replayed } = await submit(call);
    return { status: 202, body: { id, status }, headers: replayed ? { 'Idempotent-Replayed': 'true' } : undefined };
  },
});

type SubmitCall = Call<'/jobs', 'bearer-or-key', ReadSubmission>;

/** A key costs a transaction of its own; without one, the job shares a statement with others of the same moment. */
async function submit({
  deps,
  principal,
  body,
  idempotencyKey,
  traceparent,
  getSignal,
}: SubmitCall): Promise<Submitted> {
  const admission = admit(deps, principal.orgId, [body], (_n, path) => path, getSignal);
  if (admission) await admission;
  if (idempotencyKey === undefined) return deps.submit(principal.orgId, body, traceparent);
  const request = { endpoint: '/jobs', submissions: [body], idempotencyKey, traceparent, pathOfId: () => 'id' };
  const [job] = await deps.submitBatch(principal.orgId, request);
  if (!job) throw new Error('one submission has no answer');
  return job;
}
