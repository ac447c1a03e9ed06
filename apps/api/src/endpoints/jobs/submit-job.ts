import { JOB_STATUSES, type JobStatus, NAME_PATTERN } from '@jobline/contracts';
import { precheck, type Submitted, submissionsKey } from '@jobline/engine';
import Joi from 'joi';
import { requireType } from '../../auth/authorize.js';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/response-specs.js';
import { view } from '../../http/view.js';

import { submissionBody, typeNameIn } from './submission.js';

/** The response to a submission. */
export interface SubmittedView {
  id: string;
  status: JobStatus;
}

export const submittedView = view<SubmittedView>('SubmittedJob', {
  id: Joi.string().pattern(NAME_PATTERN),
  status: Joi.valid(...JOB_STATUSES),
});

/** Accepts a job. Answers once it is committed; from then on it is never lost. */
export const submitJob = defineEndpoint({
  method: 'post',
  path: '/jobs',
  summary: 'Submit a job',
  auth: 'jobs:write',
  needs: ['catalogue', 'compose', 'customTypes', 'submissions'],
  idempotent: true,
  limits: { org: 'submit', stores: true },
  body: submissionBody,
  responses: { 202: json('The job is stored and will run.', submittedView, ['Idempotent-Replayed?']) },
  errors: ['conflict', 'idempotency_key_reused', 'sender_domain_not_verified', 'sender_not_registered'],
  async handle({ deps, principal, body, idempotencyKey, traceparent, getSignal }) {
    requireType(principal, body.type, typeNameIn(body));
    const checked = precheck(deps, principal.orgId, [body], getSignal);
    if (checked) await checked;
    const key = submissionsKey('/jobs', idempotencyKey, [body]);
    return toSubmittedResponse(
      await deps.submissions.submit(principal.orgId, body, { key, traceparent, types: principal.types }),
    );
  },
});

/** The response to a request that submits one job. */
export function toSubmittedResponse({ id, status, replayed }: Submitted) {
  return {
    status: 202 as const,
    body: { id, status },
    headers: replayed ? { 'Idempotent-Replayed': 'true' } : undefined,
  };
}
