import { AppError, type JsonObject } from '@jobline/contracts';
import { findStoredBytes, untilPostgresAnswers } from '@jobline/db';
import type { Claim } from '@jobline/db/job-transitions';
import type { RunContext, SubmittedJob } from '@jobline/handlers';
import { activeTraceparent, createFairLimiter } from '@jobline/runtime';
import type { WorkOptions } from '../options.js';
import { type PrecheckDeps, precheck, type SubmissionRules } from '../submit/check-payload.js';
import { type ParsedSubmission, parseSubmission } from '../submit/parse-submission.js';
import { invalidSubmissions } from '../submit/submission.js';
import type { Submissions } from '../submit/submit.js';
import { isJsonObject } from '../submit/validate.js';
import type { Attempt } from './runs.js';

/**
 * The `submit` of the context of one attempt. A call without an id gets an id that follows from the job and from how many such calls
 * came before it, so that every attempt of the job submits the same jobs.
 */
export type SubmitFromRun = (attempt: Attempt) => RunContext['submit'];

interface SubmitFromRunDeps extends Pick<WorkOptions, 'db' | 'maxStoredBytes'> {
  submissions: Pick<Submissions, 'submit'>;
  rules: SubmissionRules;
  checks: PrecheckDeps;
}

const MAX_CALLS = 10_000;
const MAX_BYTES = 1024 * 1024;
/** How many submissions this worker stores at the same time. The others wait for their turn. */
const AT_ONCE = 20;
const AT_ONCE_PER_ORGANIZATION = 10;

export function createSubmitFromRun(deps: SubmitFromRunDeps): SubmitFromRun {
  const limiter = createFairLimiter({ capacity: AT_ONCE, perOwner: AT_ONCE_PER_ORGANIZATION });

  async function store({ claim, stop }: Attempt, submission: ParsedSubmission): Promise<SubmittedJob> {
    const { orgId } = claim;
    const signal = stop.signal();
    const request = { key: null, traceparent: activeTraceparent() };
    const release = await limiter.take({ owner: orgId, signal });
    try {
      await untilPostgresAnswers(() => checkStoredBytes(deps, claim), { signal });
      await precheck(deps.checks, orgId, [submission], () => signal);
      // Its id makes a repeated submission safe.
      const stored = () => deps.submissions.submit(orgId, submission, request);
      const { id, status } = await untilPostgresAnswers(stored, { signal });
      return { id, status };
    } finally {
      release();
    }
  }

  return (attempt) => {
    let calls = 0;
    let unnamed = 0;
    return async (type, payload, options) => {
      const json = toJson({ type, payload, options });
      // Before anything is awaited: the order of the calls counts.
      const position = options?.id === undefined ? ++unnamed : null;
      if (++calls > MAX_CALLS) throw new AppError('conflict', `An attempt may submit ${MAX_CALLS} jobs.`);
      const submission = parse(json, deps.rules);
      const { id = `${attempt.claim.key}-${position}` } = submission;
      try {
        return await store(attempt, { ...submission, id });
      } catch (error) {
        const isTaken = error instanceof AppError && error.code === 'conflict' && error.details !== undefined;
        throw isTaken ? otherContent(id, position) : error;
      }
    };
  };
}

/** The submission as JSON would have it. Throws AppError with all issues, whose paths are those of `POST /jobs`. */
function parse(json: string, rules: SubmissionRules): ParsedSubmission {
  if (Buffer.byteLength(json) > MAX_BYTES) {
    throw new AppError('payload_too_large', `A job may have ${MAX_BYTES} bytes of JSON.`);
  }
  // The cast: toJson has written it.
  const { options: given, ...job } = JSON.parse(json) as JsonObject;
  // An isolated process sends null for options that are left out.
  const options = given ?? {};
  if (!isJsonObject(options)) throw invalidSubmissions([{ path: 'options', message: '"options" must be an object' }]);
  const named = ['type', 'payload'].filter((name) => Object.hasOwn(options, name));
  if (named.length > 0) {
    throw invalidSubmissions(
      named.map((name) => ({ path: `options.${name}`, message: `"options.${name}" is not allowed` })),
    );
  }
  const parsed = parseSubmission({ ...options, ...job }, rules);
  if ('issues' in parsed) throw invalidSubmissions(parsed.issues);
  return parsed.value;
}

function toJson(call: object): string {
  try {
    return JSON.stringify(call);
  } catch (cause) {
    const details = [{ path: 'payload', message: '"payload" cannot be written as JSON' }];
    throw new AppError('validation_failed', 'The job cannot be written as JSON.', { details, cause });
  }
}

async function checkStoredBytes(
  { db, maxStoredBytes }: Pick<SubmitFromRunDeps, 'db' | 'maxStoredBytes'>,
  { orgId }: Claim,
): Promise<void> {
  const bytes = await findStoredBytes(db, orgId);
  if (bytes <= maxStoredBytes) return;
  const message = `Your organization stores about ${bytes} bytes of jobs, files and messages; the limit is ${maxStoredBytes}.`;
  throw new AppError('rate_limited', message);
}

/** `position`: of a call without an id. */
function otherContent(id: string, position: number | null): AppError {
  const message =
    position === null
      ? `The id "${id}" belongs to a job with other content; use another options.id.`
      : `Call ${position} of ctx.submit without options.id had other content in an earlier attempt of this job; ` +
        'give calls an options.id if their order or content may change.';
  return new AppError('conflict', message, {
    details: [{ path: 'options.id', message: 'belongs to a job with different content' }],
  });
}
