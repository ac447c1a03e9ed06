import { AppError, type JsonObject, NAME_PATTERN } from '@jobline/contracts';
import { findRerunSource } from '@jobline/db';
import type { Submission, Submitted } from '@jobline/engine';
import Joi from 'joi';
import { requireVisibleJob } from '../../auth/visible-types.js';
import type { Deps } from '../../deps.js';
import { type Call, defineEndpoint } from '../../endpoint.js';
import { invalidRequest, notFound } from '../../http/errors.js';
import { json } from '../../http/response-specs.js';
import { copying } from './copying.js';
import { submittedView } from './job-view.js';
import { precheck } from './precheck.js';
import { rulesOf, storedSubmissionIssues } from './submission.js';

interface Body {
  payload?: JsonObject;
}

/** Submits a finished job again, as a new job. */
export const rerunJob = defineEndpoint({
  method: 'post',
  path: '/jobs/:id/rerun',
  summary: 'Submit a finished job again, as a new job',
  auth: 'jobs:write',
  right: 'jobs',
  needs: ['catalogue', 'compose', 'customTypes', 'db', 'findReplay', 'limits', 'settings', 'submit', 'submitBatch'],
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
    const { id, status, replayed } = await rerun(call);
    return { status: 202, body: { id, status }, headers: replayed ? { 'Idempotent-Replayed': 'true' } : undefined };
  },
});

type RerunCall = Call<
  '/jobs/:id/rerun',
  'jobs:write',
  Body,
  undefined,
  Deps<'catalogue' | 'compose' | 'customTypes' | 'db' | 'findReplay' | 'limits' | 'settings' | 'submit' | 'submitBatch'>
>;

/** A replay is recognized first, because the finished job may have been deleted or retried since the first request. */
async function rerun(call: RerunCall): Promise<Submitted> {
  const { deps, principal, params, body, idempotencyKey, traceparent } = call;
  const asked = { endpoint: '/jobs/{id}/rerun', content: [params.id, body.payload ?? null], idempotencyKey };
  const [replay] = (await deps.findReplay(principal.orgId, asked)) ?? [];
  if (replay) {
    await requireVisibleJob(deps.db, principal, replay.id);
    return replay;
  }
  const submission = await rerunOf(call);
  if (idempotencyKey === undefined) return deps.submit(principal.orgId, submission, traceparent);
  const request = { ...asked, submissions: [submission], traceparent, pathIn: (_n: number, path: string) => path };
  const [job] = await deps.submitBatch(principal.orgId, request);
  if (!job) throw new Error('a batch of one submission has no result');
  return job;
}

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
  const { type, maxRetries, tags, limitKey, limitName, callbackUrl } = source;
  const payload = body.payload ?? source.payload;
  const issues = storedSubmissionIssues(rulesOf(deps), type, body.payload);
  if (issues.length > 0) throw invalidRequest(issues);
  if (source.isRedacted && !body.payload) {
    throw new AppError(
      'conflict',
      `The payload of job "${id}" is redacted; send the complete "payload" of the new job.`,
    );
  }
  const copied = { type, maxRetries, tags, limitKey, limitName, callbackUrl };
  const submission = { ...copied, payload, priority: 0, runAt: null, rerunOf: id };
  const checked = [{ ...submission, payloadName: 'payload' as const, isStored: body.payload === undefined }];
  await precheck(deps, orgId, checked, (_n, path) => path, getSignal);
  if (!source.isFinished) {
    throw new AppError('conflict', `Only finished jobs can be run again as a new job; "${id}" has not finished.`);
  }
  return submission;
}
