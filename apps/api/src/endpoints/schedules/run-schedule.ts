import { findScheduleInTurn, recordScheduleRun, specOf } from '@jobline/db';
import { requestKey, type Submission } from '@jobline/engine';
import { isVisible } from '../../auth/authorize.js';
import type { Deps } from '../../deps.js';
import { type Call, defineEndpoint } from '../../endpoint.js';
import { invalidRequest, notFound } from '../../http/errors.js';
import { json } from '../../http/response-specs.js';
import { copying, storedSubmissionIssues, submitStored } from '../jobs/stored-submission.js';
import { rulesOf } from '../jobs/submission.js';
import { submittedView, toSubmittedResponse } from '../jobs/submit-job.js';
import { precheckSchedule } from './schedule-state.js';

/** Runs the job of a schedule now, in addition to its plan. */
export const runSchedule = defineEndpoint({
  method: 'post',
  path: '/schedules/:id/run',
  summary: 'Run the job of a schedule now',
  auth: 'schedules:write',
  needs: ['catalogue', 'compose', 'customTypes', 'db', 'limits', 'settings', 'submissions'],
  idempotent: true,
  limits: { org: 'submit', stores: true },
  responses: { 202: json('The job is stored and will run.', submittedView, ['Idempotent-Replayed?']) },
  errors: ['conflict', 'idempotency_key_reused', 'sender_domain_not_verified', 'sender_not_registered'],
  async handle(call) {
    const { deps, principal, params, idempotencyKey } = call;
    const key = requestKey('/schedules/{id}/run', idempotencyKey, () => [params.id]);
    const job = await submitStored(call, key, () => submissionOf(call));
    if (!job.replayed) await recordScheduleRun(deps.db, principal.orgId, params.id, job.id);
    return toSubmittedResponse(job);
  },
});

type RunCall = Call<
  '/schedules/:id/run',
  'schedules:write',
  undefined,
  undefined,
  Deps<'catalogue' | 'compose' | 'customTypes' | 'db' | 'limits' | 'settings' | 'submissions'>
>;

async function submissionOf({ deps, principal, params, getSignal, reserve }: RunCall): Promise<Submission> {
  const { orgId } = principal;
  const schedule = await findScheduleInTurn(deps.db, orgId, params.id, copying(deps, orgId, reserve));
  if (!schedule || !isVisible(principal.types, schedule.type)) throw notFound();
  const { type, payload } = schedule;
  // The payload was checked when the schedule got it, and is checked again when the job runs.
  const issues = storedSubmissionIssues(rulesOf(deps), type, undefined);
  if (issues.length > 0) throw invalidRequest(issues);
  await precheckSchedule(deps, orgId, { type, payload, isStored: true }, getSignal, principal.types);
  return { ...specOf(schedule), payload, runAt: null, scheduleId: params.id };
}
