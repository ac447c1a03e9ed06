import { type ErrorDetail, LIMITS } from '@jobline/contracts';
import Joi, { type AnySchema } from 'joi';
import type { CustomBody } from '../../endpoint.js';
import { bodyRule, isJsonObject, type Read } from '../../http/validate.js';
import { type ReadSubmission, readSubmission, rulesOf, type SubmissionRules, submissionBody } from './submission.js';

/** So many faults of a batch are listed; one body could hold a hundred thousand. */
const MAX_FAULTS = 5_000;

const outline = Joi.object<{ jobs: unknown[] }>({ jobs: jobList() });
const outlineRule = bodyRule(outline);

export const batchBody: CustomBody<ReadSubmission[]> = {
  schemas: [Joi.object({ jobs: jobList(...submissionBody.schemas) })],
  read: (body, deps) => readBatch(body, rulesOf(deps)),
};

/** The submissions in order, or every fault of each, named by its place: `jobs[3].payload.to`. */
function readBatch(body: Readonly<Record<string, unknown>>, rules: SubmissionRules): Read<ReadSubmission[]> {
  const read = outlineRule(body);
  if ('faults' in read) return read;
  const submissions: ReadSubmission[] = [];
  const faults: ErrorDetail[] = [];
  for (const [n, item] of read.value.jobs.entries()) {
    const one = readOne(item, rules);
    if ('value' in one) submissions.push(one.value);
    else faults.push(...one.faults.map(({ path, message }) => ({ path: pathIn(n, path), message })));
  }
  faults.push(...repeatedIds(read.value.jobs));
  return faults.length > 0 ? { faults: faults.slice(0, MAX_FAULTS) } : { value: submissions };
}

/** Where a batch has what one submission has at `path`. */
export function pathIn(n: number, path: string): string {
  return path === '' ? `jobs[${n}]` : `jobs[${n}].${path}`;
}

function readOne(item: unknown, rules: SubmissionRules): Read<ReadSubmission> {
  if (isJsonObject(item)) return readSubmission(item, rules);
  return { faults: [{ path: '', message: 'a job must be a JSON object' }] };
}

/** An id may be there once, in either spelling and whatever else is wrong with its job. */
function repeatedIds(items: readonly unknown[]): ErrorDetail[] {
  const first = new Map<unknown, number>();
  return items.flatMap((item, n) => {
    if (!isJsonObject(item)) return [];
    const name = Object.hasOwn(item, 'id') ? 'id' : 'ID';
    const id = Object.hasOwn(item, name) ? item[name] : undefined;
    if (typeof id !== 'string') return [];
    const before = first.get(id);
    if (before === undefined) first.set(id, n);
    return before === undefined ? [] : [{ path: pathIn(n, name), message: `is the id of jobs[${before}] too` }];
  });
}

function jobList(...items: AnySchema[]) {
  return Joi.array()
    .items(...items)
    .min(1)
    .max(LIMITS.batchSize)
    .required();
}
