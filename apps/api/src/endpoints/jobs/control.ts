import { type ErrorDetail, type JsonObject, NAME_PATTERN } from '@jobline/contracts';
import { findJobType, listAfterIds } from '@jobline/db';
import {
  aboutTexts,
  aYearAhead,
  conditionsOfRerun,
  issuesOfPayload,
  issuesOfSources,
  precheck,
  priority,
  sourcesOf,
} from '@jobline/engine';
import type { NamedSource } from '@jobline/handlers';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { invalidRequest, notFound } from '../../http/errors.js';
import { empty, json } from '../../http/response-specs.js';

import { jobView } from './job-view.js';
import { readJob } from './read-jobs.js';
import { submittedView } from './submit-job.js';

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
  needs: ['catalogue', 'change', 'compose', 'customTypes', 'db', 'findWaitingFor'],
  limits: { org: 'control', stores: true },
  params: { id: NAME_PATTERN },
  body,
  responses: { 200: json('The job. It may have started since its change.', jobView) },
  errors: ['conflict', 'sender_domain_not_verified', 'sender_not_registered'],
  async handle({ deps, principal: { orgId, types }, params: { id }, body, getSignal, reserve }) {
    const { run_at: runAt, priority, expires_at: expiresAt, payload } = body;
    const issues = expiryIssues(body);
    if (issues.length > 0) throw invalidRequest(issues);
    let refers: string[] | undefined;
    let sources: readonly NamedSource[] = [];
    let abouts: readonly string[] | undefined;
    if (payload) {
      const type = await findJobType(deps.db, orgId, id);
      if (type === null) throw notFound();
      const after = await listAfterIds(deps.db, orgId, id);
      const payloadIssues = issuesOfPayload(
        deps.catalogue,
        'payload',
        type,
        payload,
        after.length > 0 ? after : undefined,
      );
      if (payloadIssues.length > 0) throw invalidRequest(payloadIssues);
      refers = conditionsOfRerun(payload, after)?.map((one) => one.id);
      const checked = [{ type, payload, payloadName: 'payload' as const, after: refers && [{ refers: true }] }];
      await precheck(deps, orgId, checked, getSignal);
      sources = sourcesOf(type, payload);
      abouts = aboutTexts(type, payload);
      const sourceIssues = await issuesOfSources(deps.db, orgId, sources, types, after);
      if (sourceIssues.length > 0) throw invalidRequest(sourceIssues);
    }
    if (!(await deps.change(orgId, id, { runAt, priority, expiresAt, payload, refers, sources, abouts })))
      throw notFound();
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

/** Defines an endpoint that asks for a change of a job's status. */
function defineJobAction(name: 'cancel' | 'retry', { summary, description }: { summary: string; description: string }) {
  return defineEndpoint({
    method: 'post',
    path: `/jobs/:id/${name}`,
    summary,
    auth: 'jobs:write',
    needs: [name],
    // A job that runs again makes events and results.
    limits: { org: 'control', ...(name === 'retry' && { stores: true }) },
    params: { id: NAME_PATTERN },
    responses: { 202: json(description, submittedView) },
    errors: ['conflict'],
    async handle({ deps, principal, params: { id } }) {
      const status = await deps[name](principal.orgId, id);
      if (!status) throw notFound();
      return { status: 202, body: { id, status } };
    },
  });
}

/** Cancels a job. If it is running, its handler is asked to stop. */
export const cancelJob = defineJobAction('cancel', {
  summary: 'Cancel a job',
  description:
    '`failed`: the job will not run (again). `processing`: its handler was asked to stop, if it has not finished yet.',
});

/** Retries a failed job. */
export const retryJob = defineJobAction('retry', {
  summary: 'Retry a failed job',
  description: 'The job is pending again with all its retries. Attempt numbers continue.',
});

/** Deletes a finished job with everything that belongs to it. */
export const deleteJob = defineEndpoint({
  method: 'delete',
  path: '/jobs/:id',
  summary: 'Delete a finished job',
  auth: 'jobs:write',
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
