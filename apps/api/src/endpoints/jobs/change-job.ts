import { type ErrorDetail, type JsonObject, NAME_PATTERN } from '@jobline/contracts';
import { findJobType } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { invalidRequest, notFound } from '../../http/errors.js';
import { json } from '../../http/response-specs.js';
import { jobView } from '../../views/job-view.js';
import { readJob } from './get-job.js';
import { precheck } from './precheck.js';
import { aYearAhead, issuesOfPayload, priority } from './submission.js';

interface Body {
  run_at?: Date | null;
  priority?: number;
  expires_at?: Date | null;
  payload?: JsonObject;
}

const body = Joi.object<Body>({
  run_at: aYearAhead().allow(null).description('null: now.'),
  priority: priority(),
  expires_at: aYearAhead().allow(null).description('null: the job does not expire any more.'),
  payload: Joi.object().description('Replaces the whole payload.'),
})
  .min(1)
  .messages({ 'object.min': 'the body must have a field to change' });

/** Changes a pending job. */
export const changeJob = defineEndpoint({
  method: 'patch',
  path: '/jobs/:id',
  summary: 'Change a pending job',
  auth: 'jobs:write',
  right: 'jobs',
  needs: ['catalogue', 'change', 'compose', 'customTypes', 'db', 'findWaitingFor'],
  limits: { org: 'control', stores: true },
  params: { id: NAME_PATTERN },
  body,
  responses: { 200: json('The job. It may have started since its change.', jobView) },
  errors: ['conflict', 'sender_domain_not_verified', 'sender_not_registered'],
  async handle({ deps, principal: { orgId }, params: { id }, body, getSignal, reserve }) {
    const { run_at: runAt, priority, expires_at: expiresAt, payload } = body;
    const issues = expiryIssues(body);
    if (issues.length > 0) throw invalidRequest(issues);
    if (payload) {
      const type = await findJobType(deps.db, orgId, id);
      if (type === null) throw notFound();
      const payloadIssues = issuesOfPayload(deps.catalogue, 'payload', type, payload);
      if (payloadIssues.length > 0) throw invalidRequest(payloadIssues);
      const checked = [{ type, payload, payloadName: 'payload' as const }];
      await precheck(deps, orgId, checked, (_n, path) => path, getSignal);
    }
    if (!(await deps.change(orgId, id, { runAt, priority, expiresAt, payload }))) throw notFound();
    return { status: 200, body: await readJob(deps, orgId, id, reserve) };
  },
});

/** What is wrong whatever the job is: it would have expired already, or before it is due. */
function expiryIssues({ run_at, expires_at }: Body): ErrorDetail[] {
  if (!expires_at) return [];
  const path = 'expires_at';
  if (expires_at.getTime() <= Date.now()) return [{ path, message: '"expires_at" must be later than now' }];
  if (!run_at || expires_at > run_at) return [];
  return [{ path, message: '"expires_at" must be later than "run_at"' }];
}
