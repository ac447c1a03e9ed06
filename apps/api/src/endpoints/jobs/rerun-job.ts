import { AppError, type JsonObject, NAME_PATTERN } from '@jobline/contracts';
import { findRerunSource, specOf } from '@jobline/db';
import { conditionsOfRerun, precheck, requestKey, requireSources, type Submission } from '@jobline/engine';
import Joi from 'joi';
import type { Deps } from '../../deps.js';
import { type Call, defineEndpoint } from '../../endpoint.js';
import { invalidRequest, notFound } from '../../http/errors.js';
import { json } from '../../http/response-specs.js';
import { copying, storedSubmissionIssues, submitStored } from './stored-submission.js';
import { rulesOf } from './submission.js';
import { submittedView, toSubmittedResponse } from './submit-job.js';

interface Body {
  payload?: JsonObject;
}

/** Submits a finished job again, as a new job. */
export const rerunJob = defineEndpoint({
  method: 'post',
  path: '/jobs/:id/rerun',
  summary: 'Submit a finished job again, as a new job',
  auth: 'jobs:write',
  needs: ['catalogue', 'compose', 'customTypes', 'db', 'limits', 'settings', 'submissions'],
  idempotent: true,
  limits: { org: 'submit', stores: true },
  params: { id: NAME_PATTERN },
  body: Joi.object<Body>({
    payload: Joi.object().description('Absent: the payload of the finished job. Required if that payload is redacted.'),
  }),
  isBodyOptional: true,
  responses: {
    202: json('The new job is stored and will run. Its detail names the finished job as `rerun_of`.', submittedView, [
      'Idempotent-Replayed?',
    ]),
  },
  errors: ['conflict', 'idempotency_key_reused', 'sender_domain_not_verified', 'sender_not_registered'],
  async handle(call) {
    const { params, body, idempotencyKey } = call;
    const key = requestKey('/jobs/{id}/rerun', idempotencyKey, () => [params.id, body.payload ?? null]);
    return toSubmittedResponse(await submitStored(call, key, () => rerunOf(call)));
  },
});

type RerunCall = Call<
  '/jobs/:id/rerun',
  'jobs:write',
  Body,
  undefined,
  Deps<'catalogue' | 'compose' | 'customTypes' | 'db' | 'limits' | 'settings' | 'submissions'>
>;

/** The submission of the new job. Throws if the finished job cannot be submitted again. */
async function rerunOf({
  deps,
  principal: { orgId },
  params: { id },
  body,
  getSignal,
  reserve,
}: RerunCall): Promise<Submission> {
  const source = await findRerunSource(deps.db, orgId, id, body.payload ? reserve : copying(deps, orgId, reserve));
  if (!source) throw notFound();
  const issues = storedSubmissionIssues(rulesOf(deps), source.type, body.payload, source.after);
  if (issues.length > 0) throw invalidRequest(issues);
  if (source.isRedacted && !body.payload) {
    throw new AppError(
      'conflict',
      `The payload of job "${id}" is redacted; send the complete "payload" of the new job.`,
    );
  }
  const payload = body.payload ?? source.payload;
  const after = conditionsOfRerun(payload, source.after);
  const submission = { ...specOf(source), payload, runAt: null, rerunOf: id, after };
  const checked = [{ ...submission, payloadName: 'payload' as const, isStored: body.payload === undefined }];
  await precheck(deps, orgId, checked, getSignal);
  if (!source.isFinished) {
    throw new AppError('conflict', `Only finished jobs can be run again as a new job; "${id}" has not finished.`);
  }
  if (!body.payload) await requireSources(deps.db, orgId, id, source.type, source.payload);
  return submission;
}
