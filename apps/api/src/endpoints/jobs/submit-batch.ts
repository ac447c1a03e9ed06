import { AppError, type Json, LIMITS } from '@jobline/contracts';
import {
  checkerOf,
  isJsonObject,
  precheck,
  type Rejected,
  rejectedBy,
  requestKey,
  type Submission,
  type Submitted,
  sourcesOf,
  submissionsKey,
} from '@jobline/engine';
import Joi from 'joi';
import { forbiddenType, requireType } from '../../auth/authorize.js';
import type { Deps } from '../../deps.js';
import { type Call, type CustomBody, defineEndpoint } from '../../endpoint.js';
import { bytesOf, cutDetails, errorFields, MAX_DETAILS_BYTES } from '../../http/answer-errors.js';
import { invalidRequest, rejectedPayload } from '../../http/errors.js';
import { json } from '../../http/response-specs.js';
import { view } from '../../http/view.js';
import { type AllOrNone, type Batch, type EachAlone, jobList, parseAll, parseEach, pathIn } from './parse-batch.js';
import { rulesOf, submissionBody, typeNameIn } from './submission.js';
import { type SubmittedView, submittedView } from './submit-job.js';

/** Maximum number of details in a response of the mode `each`, in addition to the first of each job. */
const MAX_DETAILS = 2_000;
/** Levels of a job that are compared: a valid job has no more. */
const MAX_DEPTH = LIMITS.payloadDepth + 1;

const submittedBatchView = view<{ jobs: SubmittedView[] }>('SubmittedJobs', {
  jobs: Joi.array().items(submittedView).description('In the order of the request.'),
});

const rejectedView = view<Rejected>('RejectedJob', {
  error: view<Rejected['error']>('RejectedJobError', errorFields),
});

/** The response to a batch whose jobs are stored one by one. */
const submittedEachView = view<{ jobs: (SubmittedView | Rejected)[] }>('SubmittedEach', {
  jobs: Joi.array().items(submittedView, rejectedView).description('In the order of the request.'),
});

function toSubmittedView<A extends Submitted | Rejected>(answer: A) {
  return 'error' in answer ? answer : { id: answer.id, status: answer.status };
}

/** `all`: the jobs are stored together, so all are valid. `each`: the valid ones are stored, and each other one has an error. */
const BATCH_MODES = ['all', 'each'] as const;

interface BatchQuery {
  mode: (typeof BATCH_MODES)[number];
}

const batchBody: CustomBody<Batch, BatchQuery> = {
  schemas: [Joi.object({ jobs: jobList(...submissionBody.schemas) })],
  validate: (body, deps, query, nextTurn) =>
    (query?.mode === 'each' ? parseEach : parseAll)(body, rulesOf(deps), nextTurn),
};

/** Accepts many jobs at once: all of them or none, or those that are valid. Answers once they are committed. */
export const submitBatch = defineEndpoint({
  method: 'post',
  path: '/jobs/batch',
  summary: 'Submit up to 1,000 jobs: all of them or none, or each that is valid',
  auth: 'jobs:write',
  needs: ['catalogue', 'compose', 'customTypes', 'expensiveBatches', 'submissions'],
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
  handle: (call) =>
    isExpensive(call.body)
      ? call.deps.expensiveBatches.run(() => submit(call), { owner: call.principal.orgId })
      : submit(call),
});

/** A batch of at most so many jobs, and so many sources, is cheap, unless it fills templates. */
const SMALL_BATCH = 100;

/** Whether a batch costs so much that those of an organization take turns. */
function isExpensive(batch: Batch): boolean {
  const jobs: readonly Submission[] =
    batch.mode === 'all' ? batch.jobs : batch.jobs.flatMap((job) => ('value' in job ? [job.value] : []));
  if (jobs.some(({ payload }) => 'template' in payload)) return true;
  if (jobs.flatMap(({ type, payload }) => sourcesOf(type, payload)).length > SMALL_BATCH) return true;
  if (jobs.length <= SMALL_BATCH) return false;
  if (batch.mode === 'each' || new Set(jobs.map(({ type }) => type)).size > SMALL_BATCH) return true;
  return jobs.some(({ id, tags, limitKey, limitName, after }) => id || tags || limitKey || limitName || after);
}

type BatchDeps = Deps<'catalogue' | 'compose' | 'customTypes' | 'expensiveBatches' | 'submissions'>;

async function submit({ body, ...call }: Call<'/jobs/batch', 'jobs:write', Batch, BatchQuery, BatchDeps>) {
  if (body.mode === 'each') {
    const { answers, isReplay } = await submitEach(call, body);
    const headers = isReplay ? REPLAYED : undefined;
    return { status: 200 as const, body: { jobs: answers.map(toSubmittedView) }, headers };
  }
  const { answers, isReplay } = await submitAll(call, body);
  const headers = isReplay ? REPLAYED : undefined;
  return { status: 202 as const, body: { jobs: answers.map(toSubmittedView) }, headers };
}

const REPLAYED = { 'Idempotent-Replayed': 'true' };

type BatchCall = Omit<Call<'/jobs/batch', 'jobs:write', unknown, unknown, BatchDeps>, 'body'>;

async function submitAll(call: BatchCall, { jobs }: AllOrNone) {
  const { deps, principal, idempotencyKey, traceparent, getSignal } = call;
  for (const [n, job] of jobs.entries()) requireType(principal, job.type, pathIn(n, typeNameIn(job)));
  await precheck(deps, principal.orgId, jobs, getSignal, pathIn);
  const key = submissionsKey('/jobs/batch', idempotencyKey, jobs);
  return deps.submissions.submitAll(principal.orgId, jobs, { key, traceparent, pathIn, types: principal.types });
}

/** Stores the jobs that are valid, and rejects the others one by one. */
async function submitEach(call: BatchCall, body: EachAlone) {
  const { deps, principal, idempotencyKey, traceparent } = call;
  const items = await itemsOf(call, body);
  const key = requestKey('/jobs/batch?mode=each', idempotencyKey, () => body.items.map(contentOf));
  const { types } = principal;
  const rejectedIds = new Set(items.flatMap((item, n) => ('error' in item ? idOf(body.items[n]) : [])));
  return deps.submissions.submitEach(principal.orgId, items, { key, traceparent, types, rejectedIds });
}

async function itemsOf({ deps, principal, getSignal }: BatchCall, body: EachAlone): Promise<(Submission | Rejected)[]> {
  const check = checkerOf(deps, principal.orgId, getSignal());
  const items: (Submission | Rejected)[] = [];
  let left = MAX_DETAILS;
  let leftBytes = MAX_DETAILS_BYTES;
  for (const job of body.jobs) {
    if ('issues' in job) {
      items.push(rejected(invalidRequest(job.issues)));
      continue;
    }
    const forbidden = forbiddenType(principal.types, job.value.type, typeNameIn(job.value));
    if (forbidden) {
      items.push(rejected(forbidden));
      continue;
    }
    const failure = await check(job.value);
    items.push(failure ? rejected(rejectedPayload(failure)) : job.value);
  }
  return items;

  function rejected(error: AppError): Rejected {
    const [first, ...others] = error.details ?? [];
    const details = first ? cutDetails([first, ...others.slice(0, left)], bytesOf(first) + leftBytes) : [];
    left -= Math.max(0, details.length - 1);
    leftBytes -= details.slice(1).reduce((sum, detail) => sum + bytesOf(detail), 0);
    return rejectedBy(new AppError(error.code, error.message, { details }));
  }
}

/** The id of a job of the request that may be invalid. */
function idOf(item: unknown): string[] {
  const id = isJsonObject(item) ? (item.id ?? item.ID) : undefined;
  return typeof id === 'string' ? [id] : [];
}

/** Capitalized name → lower-case name. */
const LOWERCASE: Readonly<Record<string, string>> = {
  ID: 'id',
  Type: 'type',
  Payload: 'payload',
  MaxRetries: 'max_retries',
};

/**
 * What a job of the request asked for, in one spelling. It does not depend on whether the job is valid, which may be
 * another answer when the request is repeated.
 */
function contentOf(item: unknown): Json {
  if (!isJsonObject(item)) return shallow(item, MAX_DEPTH);
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [LOWERCASE[name] ?? name, shallow(value, MAX_DEPTH)]),
  );
}

/** The value without its levels below `depth`, because hashing is recursive. */
function shallow(value: unknown, depth: number): Json {
  // The cast: it is part of a body that was parsed as JSON.
  if (typeof value !== 'object' || value === null) return value as Json;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((item) => shallow(item, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shallow(item, depth - 1)]));
}
