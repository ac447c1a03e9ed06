import { AppError, type Json, LIMITS } from '@jobline/contracts';
import { type EachAnswer, type Rejected, rejectedBy, type Submission } from '@jobline/engine';
import { forbiddenType } from '../../auth/visible-types.js';
import type { Deps } from '../../deps.js';
import type { Call } from '../../endpoint.js';
import { bytesOf, cutDetails, MAX_DETAILS_BYTES } from '../../http/answer-errors.js';
import { invalidRequest, rejectedPayload } from '../../http/errors.js';
import { isJsonObject } from '../../http/validate.js';
import { checkerOf } from './precheck.js';
import { typeNameIn } from './submission.js';
import type { EachAlone } from './submission-batch.js';

/** Maximum number of details in a response, in addition to the first of each job. */
const MAX_DETAILS = 2_000;
/** Levels of a job that are compared: a valid job has no more. */
const MAX_DEPTH = LIMITS.payloadDepth + 1;

type EachCall = Omit<
  Call<'/jobs/batch', 'jobs:write', EachAlone, unknown, Deps<'catalogue' | 'compose' | 'customTypes' | 'submitEach'>>,
  'query'
>;

/** Stores the jobs of a batch that are valid, and rejects the others one by one. */
export async function submitEach(call: EachCall): Promise<EachAnswer> {
  const { deps, principal, body, idempotencyKey, traceparent } = call;
  return deps.submitEach(principal.orgId, {
    endpoint: '/jobs/batch?mode=each',
    entries: await entriesOf(call),
    idempotencyKey,
    content: idempotencyKey === undefined ? null : body.items.map((item) => contentOf(item)),
    traceparent,
  });
}

async function entriesOf({ deps, principal, body, getSignal }: EachCall): Promise<(Submission | Rejected)[]> {
  const check = checkerOf(deps, principal.orgId, getSignal());
  const entries: (Submission | Rejected)[] = [];
  let left = MAX_DETAILS;
  let leftBytes = MAX_DETAILS_BYTES;
  for (const job of body.jobs) {
    if ('issues' in job) {
      entries.push(rejected(invalidRequest(job.issues)));
      continue;
    }
    const forbidden = forbiddenType(principal.types, job.value.type, typeNameIn(job.value));
    if (forbidden) {
      entries.push(rejected(forbidden));
      continue;
    }
    const failure = await check(job.value);
    entries.push(failure ? rejected(rejectedPayload(failure)) : job.value);
  }
  return entries;

  function rejected(error: AppError): Rejected {
    const [first, ...others] = error.details ?? [];
    const details = first ? cutDetails([first, ...others.slice(0, left)], bytesOf(first) + leftBytes) : [];
    left -= Math.max(0, details.length - 1);
    leftBytes -= details.slice(1).reduce((sum, detail) => sum + bytesOf(detail), 0);
    return rejectedBy(new AppError(error.code, error.message, { details }));
  }
}

/** The names of the capitalized spelling, in the other one. */
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
