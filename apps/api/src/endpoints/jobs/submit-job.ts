import type { Submitted } from '@jobline/engine';
import { requireType } from '../../auth/visible-types.js';
import type { Deps } from '../../deps.js';
import { type Call, defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/response-specs.js';
import { submittedView } from './job-view.js';
import { precheck } from './precheck.js';
import { type ParsedSubmission, submissionBody, typeNameIn } from './submission.js';

/** Accepts a job. Answers once it is committed; from then on it is never lost. */
export const submitJob = defineEndpoint({
  method: 'post',
  path: '/jobs',
  summary: 'Submit a job',
  auth: 'jobs:write',
  right: 'jobs',
  needs: ['catalogue', 'compose', 'customTypes', 'submit', 'submitBatch'],
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

type SubmitCall = Call<
  '/jobs',
  'jobs:write',
  ParsedSubmission,
  undefined,
  Deps<'catalogue' | 'compose' | 'customTypes' | 'submit' | 'submitBatch'>
>;

/** A key needs its own transaction. Without one, the job shares a statement with other jobs of the same moment. */
async function submit({
  deps,
  principal,
  body,
  idempotencyKey,
  traceparent,
  getSignal,
}: SubmitCall): Promise<Submitted> {
  requireType(principal, body.type, typeNameIn(body));
  const checked = precheck(deps, principal.orgId, [body], (_n, path) => path, getSignal);
  if (checked) await checked;
  if (idempotencyKey === undefined) return deps.submit(principal.orgId, body, traceparent);
  const request = {
    endpoint: '/jobs',
    submissions: [body],
    idempotencyKey,
    traceparent,
    pathIn: (_n: number, path: string) => path,
  };
  const [job] = await deps.submitBatch(principal.orgId, request);
  if (!job) throw new Error('a batch of one submission has no result');
  return job;
}
