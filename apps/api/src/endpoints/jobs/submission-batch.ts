import { type ErrorDetail, LIMITS } from '@jobline/contracts';
import Joi, { type AnySchema } from 'joi';
import type { CustomBody } from '../../endpoint.js';
import { bodyValidator, isJsonObject, type Validated } from '../../http/validate.js';
import { type ParsedSubmission, parseSubmission, rulesOf, type SubmissionRules, submissionBody } from './submission.js';

/** Maximum number of validation issues in an error. One body could have a hundred thousand. */
const MAX_ISSUES = 5_000;

const outline = Joi.object<{ jobs: unknown[] }>({ jobs: jobList() });
const validateOutline = bodyValidator(outline);

export const batchBody: CustomBody<ParsedSubmission[]> = {
  schemas: [Joi.object({ jobs: jobList(...submissionBody.schemas) })],
  validate: (body, deps) => parseBatch(body, rulesOf(deps)),
};

/** The submissions in order, or every issue of each with its path, such as `jobs[3].payload.to`. */
function parseBatch(body: Readonly<Record<string, unknown>>, rules: SubmissionRules): Validated<ParsedSubmission[]> {
  const validated = validateOutline(body);
  if ('issues' in validated) return validated;
  const submissions: ParsedSubmission[] = [];
  const issues: ErrorDetail[] = [];
  for (const [n, item] of validated.value.jobs.entries()) {
    const one = parseOne(item, rules);
    if ('value' in one) submissions.push(one.value);
    else issues.push(...one.issues.map(({ path, message }) => ({ path: pathIn(n, path), message })));
  }
  issues.push(...repeatedIds(validated.value.jobs));
  return issues.length > 0 ? { issues: issues.slice(0, MAX_ISSUES) } : { value: submissions };
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
function repeatedIds(items: readonly unknown[]): ErrorDetail[] {
  const first = new Map<unknown, number>();
  return items.flatMap((item, n) => {
    if (!isJsonObject(item)) return [];
    const name = Object.hasOwn(item, 'id') ? 'id' : 'ID';
    const id = Object.hasOwn(item, name) ? item[name] : undefined;
    if (typeof id !== 'string') return [];
    const before = first.get(id);
    if (before === undefined) first.set(id, n);
    return before === undefined ? [] : [{ path: pathIn(n, name), message: `is also the id of jobs[${before}]` }];
  });
}

function jobList(...items: AnySchema[]) {
  return Joi.array()
    .items(...items)
    .min(1)
    .max(LIMITS.batchSize)
    .required();
}
