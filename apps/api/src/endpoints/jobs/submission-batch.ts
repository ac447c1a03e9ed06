import { type ErrorDetail, LIMITS } from '@jobline/contracts';
import Joi, { type AnySchema } from 'joi';
import type { CustomBody } from '../../endpoint.js';
import { bodyValidator, isJsonObject, type Validated } from '../../http/validate.js';
import { type ParsedSubmission, parseSubmission, rulesOf, type SubmissionRules, submissionBody } from './submission.js';

/** Maximum number of validation issues in an error. One body could have a hundred thousand. */
const MAX_ISSUES = 5_000;

const outline = Joi.object<{ jobs: unknown[] }>({ jobs: jobList() });
const validateOutline = bodyValidator(outline);

/** `all`: the jobs are stored together, so all are valid. `each`: the valid ones are stored, and each other one has an error. */
export const BATCH_MODES = ['all', 'each'] as const;

export interface BatchQuery {
  mode: (typeof BATCH_MODES)[number];
}

export type Batch = AllOrNone | EachAlone;

export interface AllOrNone {
  mode: 'all';
  jobs: ParsedSubmission[];
}

export interface EachAlone {
  mode: 'each';
  jobs: Validated<ParsedSubmission>[];
  /** As they were sent. */
  items: readonly unknown[];
}

export const batchBody: CustomBody<Batch, BatchQuery> = {
  schemas: [Joi.object({ jobs: jobList(...submissionBody.schemas) })],
  validate: (body, deps, query) => (query?.mode === 'each' ? parseEach : parseAll)(body, rulesOf(deps)),
};

/** The submissions in order, or every issue of each with its path, such as `jobs[3].payload.to`. */
function parseAll(body: Readonly<Record<string, unknown>>, rules: SubmissionRules): Validated<AllOrNone> {
  const validated = validateOutline(body);
  if ('issues' in validated) return validated;
  const submissions: ParsedSubmission[] = [];
  const issues: ErrorDetail[] = [];
  for (const [n, item] of validated.value.jobs.entries()) {
    const one = parseOne(item, rules);
    if ('value' in one) submissions.push(one.value);
    else issues.push(...one.issues.map(({ path, message }) => ({ path: pathIn(n, path), message })));
  }
  issues.push(...repeatedIds(validated.value.jobs).map(({ n, path, message }) => ({ path: pathIn(n, path), message })));
  return issues.length > 0 ? { issues: issues.slice(0, MAX_ISSUES) } : { value: { mode: 'all', jobs: submissions } };
}

/** Each job, or its issues, with paths that begin at the job. */
function parseEach(body: Readonly<Record<string, unknown>>, rules: SubmissionRules): Validated<EachAlone> {
  const validated = validateOutline(body);
  if ('issues' in validated) return validated;
  const { jobs: items } = validated.value;
  const repeated = new Map(repeatedIds(items).map(({ n, ...issue }) => [n, issue]));
  const jobs = items.map((item, n): Validated<ParsedSubmission> => {
    const one = parseOne(item, rules);
    const again = repeated.get(n);
    return again ? { issues: [...('issues' in one ? one.issues : []), again] } : one;
  });
  return { value: { mode: 'each', jobs, items } };
}

/** The path in the batch for a path in its nth submission. */
export function pathIn(n: number, path: string): string {
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
