import { AppError, type ErrorDetail, type Json, LIMITS } from '@jobline/contracts';
import {
  type Rejected,
  rejectedBy,
  requestKey,
  type Submission,
  type Submitted,
  submissionsKey,
} from '@jobline/engine';
import Joi, { type AnySchema } from 'joi';
import { forbiddenType, requireType } from '../../auth/authorize.js';
import type { Deps } from '../../deps.js';
import { type Call, type CustomBody, defineEndpoint } from '../../endpoint.js';
import { bytesOf, cutDetails, errorFields, MAX_DETAILS_BYTES } from '../../http/answer-errors.js';
import { invalidRequest, rejectedPayload } from '../../http/errors.js';
import { json } from '../../http/response-specs.js';
import { bodyValidator, isJsonObject, type Validated } from '../../http/validate.js';
import { view } from '../../http/view.js';
import { checkerOf, precheck, rulesOf, type SubmissionRules } from './check-payload.js';
import { hasPlainNames, type ParsedSubmission, parseSubmission, submissionBody, typeNameIn } from './submission.js';
import { type SubmittedView, submittedView } from './submit-job.js';

/** Maximum number of validation issues in an error. One body could have a hundred thousand. */
const MAX_ISSUES = 5_000;
/** Maximum number of details in a response of the mode `each`, in addition to the first of each job. */
const MAX_DETAILS = 2_000;
/** Jobs that are slow to validate (invalid, or only the schema can decide) in one turn: a thousand would block the event loop. */
const SLOW_PER_TURN = 20;
/** Levels of a job that are compared: a valid job has no more. */
const MAX_DEPTH = LIMITS.payloadDepth + 1;

const outline = Joi.object<{ jobs: unknown[] }>({ jobs: jobList() });
const validateOutline = bodyValidator(outline);

const submittedBatchView = view<{ jobs: SubmittedView[] }>('SubmittedJobs', {
  jobs: Joi.array().items(submittedView).description('In the order of the request.'),
});

const rejectedView = view<Rejected>('RejectedJob', {
  error: view<Rejected['error']>('RejectedJobError', errorFields, { optional: ['details'] }),
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

type Batch = AllOrNone | EachAlone;

interface AllOrNone {
  mode: 'all';
  jobs: ParsedSubmission[];
}

interface EachAlone {
  mode: 'each';
  jobs: Validated<ParsedSubmission>[];
  /** As they were sent. */
  items: readonly unknown[];
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

/** A batch of at most so many jobs is cheap, unless it fills templates. */
const SMALL_BATCH = 100;

/** Whether a batch costs so much that those of an organization take turns. */
function isExpensive(batch: Batch): boolean {
  const jobs: readonly Submission[] =
    batch.mode === 'all' ? batch.jobs : batch.jobs.flatMap((job) => ('value' in job ? [job.value] : []));
  if (jobs.some(({ payload }) => 'template' in payload)) return true;
  if (jobs.length <= SMALL_BATCH) return false;
  if (batch.mode === 'each' || new Set(jobs.map(({ type }) => type)).size > SMALL_BATCH) return true;
  return jobs.some(({ id, tags, limitKey, limitName }) => id || tags || limitKey || limitName);
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
  return deps.submissions.submitAll(principal.orgId, jobs, { key, traceparent, pathIn });
}

/** Stores the jobs that are valid, and rejects the others one by one. */
async function submitEach(call: BatchCall, body: EachAlone) {
  const { deps, principal, idempotencyKey, traceparent } = call;
  const items = await itemsOf(call, body);
  const key = requestKey('/jobs/batch?mode=each', idempotencyKey, () => body.items.map(contentOf));
  return deps.submissions.submitEach(principal.orgId, items, { key, traceparent });
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

/** The submissions in order, or every issue of each with its path, such as `jobs[3].payload.to`. */
async function parseAll(
  body: Readonly<Record<string, unknown>>,
  rules: SubmissionRules,
  nextTurn: () => Promise<void>,
): Promise<Validated<AllOrNone>> {
  const validated = validateOutline(body);
  if ('issues' in validated) return validated;
  const submissions: ParsedSubmission[] = [];
  const issues: ErrorDetail[] = [];
  for (const [n, one] of (await parseJobs(validated.value.jobs, rules, nextTurn, MAX_ISSUES)).entries()) {
    if ('value' in one) submissions.push(one.value);
    else issues.push(...one.issues.map(({ path, message }) => ({ path: pathIn(n, path), message })));
  }
  issues.push(...repeatedIds(validated.value.jobs).map(({ n, path, message }) => ({ path: pathIn(n, path), message })));
  return issues.length > 0 ? { issues: issues.slice(0, MAX_ISSUES) } : { value: { mode: 'all', jobs: submissions } };
}

/** Each job, or its issues, with paths that begin at the job. */
async function parseEach(
  body: Readonly<Record<string, unknown>>,
  rules: SubmissionRules,
  nextTurn: () => Promise<void>,
): Promise<Validated<EachAlone>> {
  const validated = validateOutline(body);
  if ('issues' in validated) return validated;
  const { jobs: items } = validated.value;
  const repeated = new Map(repeatedIds(items).map(({ n, ...issue }) => [n, issue]));
  const jobs = (await parseJobs(items, rules, nextTurn)).map((one, n) => {
    const again = repeated.get(n);
    return again ? { issues: [...('issues' in one ? one.issues : []), again] } : one;
  });
  return { value: { mode: 'each', jobs, items } };
}

/** Each job, or its issues. Ends with the job that reaches `maxIssues`. */
async function parseJobs(
  items: readonly unknown[],
  rules: SubmissionRules,
  nextTurn: () => Promise<void>,
  maxIssues = Number.POSITIVE_INFINITY,
): Promise<Validated<ParsedSubmission>[]> {
  const jobs: Validated<ParsedSubmission>[] = [];
  let issues = 0;
  let slowLeft = 1; // of the first turn, which the batch does not wait for
  for (const item of items) {
    if (slowLeft === 0) {
      await nextTurn();
      slowLeft = SLOW_PER_TURN;
    }
    const one = parseOne(item, rules);
    jobs.push(one);
    if ('issues' in one) issues += one.issues.length;
    if (issues >= maxIssues) break;
    if ('issues' in one || !isJsonObject(item) || !hasPlainNames(item)) slowLeft--;
  }
  return jobs;
}

/** The path in the batch for a path in its nth submission. */
function pathIn(n: number, path: string): string {
  return path === '' ? `jobs[${n}]` : `jobs[${n}].${path}`;
}

function parseOne(item: unknown, rules: SubmissionRules): Validated<ParsedSubmission> {
  if (isJsonObject(item)) return parseSubmission(item, rules);
  return { issues: [{ path: '', message: 'a job must be a JSON object' }] };
}

/** Issues for ids that occur twice, spelled `id` or `ID`. Jobs that have other issues are included. */
function repeatedIds(items: readonly unknown[]): (ErrorDetail & { n: number })[] {
  const first = new Map<unknown, number>();
  return items.flatMap((item, n) => {
    if (!isJsonObject(item)) return [];
    const name = Object.hasOwn(item, 'id') ? 'id' : 'ID';
    const id = Object.hasOwn(item, name) ? item[name] : undefined;
    if (typeof id !== 'string') return [];
    const before = first.get(id);
    if (before === undefined) first.set(id, n);
    return before === undefined ? [] : [{ n, path: name, message: `is also the id of jobs[${before}]` }];
  });
}

function jobList(...items: AnySchema[]) {
  return Joi.array()
    .items(...items)
    .min(1)
    .max(LIMITS.batchSize)
    .required();
}
