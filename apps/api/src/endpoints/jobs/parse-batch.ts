import { type ErrorDetail, LIMITS } from '@jobline/contracts';
import {
  bodyValidator,
  hasPlainNames,
  isJsonObject,
  type ParsedSubmission,
  parseSubmission,
  type SubmissionRules,
  type Validated,
} from '@jobline/engine';
import Joi, { type AnySchema } from 'joi';

/** Maximum number of validation issues in an error. One body could have a hundred thousand. */
const MAX_ISSUES = 5_000;
/** Jobs that are slow to validate (invalid, or only the schema can decide) in one turn: a thousand would block the event loop. */
const SLOW_PER_TURN = 20;

const outline = Joi.object<{ jobs: unknown[] }>({ jobs: jobList() });
const validateOutline = bodyValidator(outline);

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

/** The jobs as they were sent, unless they wait for so many others that storing that would take too long. */
function parseOutline(body: Readonly<Record<string, unknown>>): Validated<{ jobs: unknown[] }> {
  const validated = validateOutline(body);
  if ('issues' in validated) return validated;
  const lengths = validated.value.jobs.map((job) =>
    isJsonObject(job) && Array.isArray(job.after) ? job.after.length : 0,
  );
  if (lengths.reduce((sum, length) => sum + length, 0) <= LIMITS.afterInBatch) return validated;
  return {
    issues: [{ path: 'jobs', message: `"jobs" must have at most ${LIMITS.afterInBatch} entries in "after" together` }],
  };
}

/** The submissions in order, or every issue of each with its path, such as `jobs[3].payload.to`. */
export async function parseAll(
  body: Readonly<Record<string, unknown>>,
  rules: SubmissionRules,
  nextTurn: () => Promise<void>,
): Promise<Validated<AllOrNone>> {
  const validated = parseOutline(body);
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
export async function parseEach(
  body: Readonly<Record<string, unknown>>,
  rules: SubmissionRules,
  nextTurn: () => Promise<void>,
): Promise<Validated<EachAlone>> {
  const validated = parseOutline(body);
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

export function jobList(...items: AnySchema[]) {
  return Joi.array()
    .items(...items)
    .min(1)
    .max(LIMITS.batchSize)
    .required();
}
