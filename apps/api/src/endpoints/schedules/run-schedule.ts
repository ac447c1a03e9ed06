import { findScheduleInTurn, recordScheduleRun } from '@jobline/db';
import type { Submission, Submitted } from '@jobline/engine';
import { isVisible, requireVisibleJob } from '../../auth/visible-types.js';
import type { Deps } from '../../deps.js';
import { type Call, defineEndpoint } from '../../endpoint.js';
import { invalidRequest, notFound } from '../../http/errors.js';
import { UUID_PATTERN } from '../../http/fields.js';
import { json } from '../../http/response-specs.js';
import { copying } from '../jobs/copying.js';
import { submittedView } from '../jobs/job-view.js';
import { rulesOf, storedSubmissionIssues } from '../jobs/submission.js';
import { precheckSchedule } from './schedule-state.js';

/** Runs the job of a schedule now, in addition to its plan. */
export const runSchedule = defineEndpoint({
  method: 'post',
  path: '/schedules/:id/run',
  summary: 'Run the job of a schedule now',
  auth: 'schedules:write',
  right: 'schedules',
  needs: ['catalogue', 'compose', 'customTypes', 'db', 'findReplay', 'limits', 'settings', 'submit', 'submitBatch'],
  idempotent: true,
  limits: { org: 'submit', stores: true },
  params: { id: UUID_PATTERN },
  responses: { 202: json('The job is stored and will run.', submittedView, ['Idempotent-Replayed?']) },
  errors: ['conflict', 'idempotency_key_reused', 'sender_domain_not_verified', 'sender_not_registered'],
  async handle(call) {
    const { id, status, replayed } = await run(call);
    return { status: 202, body: { id, status }, headers: replayed ? { 'Idempotent-Replayed': 'true' } : undefined };
  },
});

type RunCall = Call<
  '/schedules/:id/run',
  'schedules:write',
  undefined,
  undefined,
  Deps<'catalogue' | 'compose' | 'customTypes' | 'db' | 'findReplay' | 'limits' | 'settings' | 'submit' | 'submitBatch'>
>;

/** A replay is recognized first, because the schedule may have been deleted since the first request. */
async function run(call: RunCall): Promise<Submitted> {
  const { deps, principal, params, idempotencyKey, traceparent } = call;
  const asked = { endpoint: '/schedules/{id}/run', content: [params.id], idempotencyKey };
  const [replay] = (await deps.findReplay(principal.orgId, asked)) ?? [];
  if (replay) {
    await requireVisibleJob(deps.db, principal, replay.id);
    return replay;
  }
  const submission = await submissionOf(call);
  const request = { ...asked, submissions: [submission], traceparent, pathIn: (_n: number, path: string) => path };
  const job =
    idempotencyKey === undefined
      ? await deps.submit(principal.orgId, submission, traceparent)
      : (await deps.submitBatch(principal.orgId, request))[0];
  if (!job) throw new Error('a batch of one submission has no result');
  if (!job.replayed) await recordScheduleRun(deps.db, principal.orgId, params.id, job.id);
  return job;
}

async function submissionOf({ deps, principal, params, getSignal, reserve }: RunCall): Promise<Submission> {
  const { orgId } = principal;
  const schedule = await findScheduleInTurn(deps.db, orgId, params.id, copying(deps, orgId, reserve));
  if (!schedule || !isVisible(principal.types, schedule.type)) throw notFound();
  const { type, payload, maxRetries, priority, tags, limitKey, limitName, callbackUrl } = schedule;
  // The payload was checked when the schedule got it, and is checked again when the job runs.
  const issues = storedSubmissionIssues(rulesOf(deps), type, undefined);
  if (issues.length > 0) throw invalidRequest(issues);
  await precheckSchedule(deps, orgId, { type, payload, isStored: true }, getSignal);
  return {
    type,
    payload,
    maxRetries,
    priority,
    runAt: null,
    tags,
    limitKey: limitKey ?? undefined,
    limitName: limitName ?? undefined,
    callbackUrl: callbackUrl ?? undefined,
    scheduleId: params.id,
  };
}
