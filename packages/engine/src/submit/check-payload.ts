import {
  AppError,
  type ErrorDetail,
  type Json,
  type JsonObject,
  LIMITS,
  NAME_PATTERN,
  type OrgId,
} from '@jobline/contracts';
import { type Catalogue, type Compose, pathText, payloadIssues, type ValidationFailure } from '@jobline/handlers';
import type { CustomTypes } from './custom-types.js';
import { readReferences, withoutReferred } from './references.js';
import { isJsonObject } from './validate.js';

/** Maximum number of validation issues in the shape of one payload. */
const MAX_SHAPE_ISSUES = 100;
/** Maximum number of validation issues in an error. A batch of 1,000 jobs may lack 100 variables of a template in each job. */
const MAX_ISSUES = 5_000;

/** What a submission is validated against, in addition to its schema. */
export interface SubmissionRules {
  /** The types whose payloads are validated here. */
  catalogue: Catalogue;
  /** The job types that may be submitted. Undefined: all. */
  allowedTypes: ReadonlySet<string> | undefined;
}

/**
 * An issue if the operator does not allow jobs of a type. `allowed` undefined: all types are allowed. `name` is the caller's
 * spelling of `type`. The schema reports values that are not a type at all.
 */
export function typeIssues(allowed: ReadonlySet<string> | undefined, name: string, type: unknown): ErrorDetail[] {
  if (!allowed || typeof type !== 'string' || !NAME_PATTERN.test(type) || allowed.has(type)) return [];
  return [{ path: name, message: `"${name}" is not a job type that this installation accepts` }];
}

/**
 * The issues inside a payload. The schema reports a missing payload and one that is not an object. `after`: the ids to whose results it
 * may refer; undefined: an object with `$from` is an ordinary value.
 */
export function issuesOfPayload(
  catalogue: Catalogue,
  name: string,
  type: unknown,
  payload: unknown,
  after?: readonly string[],
): ErrorDetail[] {
  if (!isJsonObject(payload)) return [];
  const shape = payloadShapeIssues(name, payload);
  if (shape.length > 0) return shape;
  const { references, issues } = after ? readReferences(name, payload, after) : { references: [], issues: [] };
  if (issues.length > 0 || typeof type !== 'string') return issues;
  const own = payloadIssues(catalogue, type, payload).map(({ path, message }) => ({
    path: path.replace('payload', name),
    message,
  }));
  return references.length > 0 ? withoutReferred(own, name, references) : own;
}

/** Issues of a payload that could not be stored and returned unchanged: too many levels, or numbers that JSON cannot write. */
export function payloadShapeIssues(name: string, payload: JsonObject): ErrorDetail[] {
  const issues: ErrorDetail[] = [];
  const path: (string | number)[] = [name];

  // The recursion stops at the maximum depth of payloads, so no request can overflow the stack.
  function walk(value: Json): void {
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) addIssue('is too large a number');
    } else if (typeof value === 'object' && value !== null) {
      if (path.length > LIMITS.payloadDepth) addIssue(`is nested deeper than ${LIMITS.payloadDepth} levels`);
      else if (Array.isArray(value)) for (const [index, item] of value.entries()) step(index, item);
      else for (const key of Object.keys(value)) step(key, value[key] ?? null);
    }
  }

  function step(part: string | number, value: Json): void {
    if (issues.length >= MAX_SHAPE_ISSUES || typeof value === 'string') return;
    path.push(part);
    walk(value);
    path.pop();
  }

  function addIssue(message: string): void {
    const where = pathText(path);
    issues.push({ path: where, message: `"${where}" ${message}` });
  }

  walk(payload);
  return issues;
}

/** What is checked of a submission. */
interface Checked {
  type: string;
  payload: JsonObject;
  /** The caller's spelling. */
  payloadName: 'payload' | 'Payload';
  /** Whether the payload is that of a stored job, which was checked when it was submitted. */
  isStored?: boolean;
  /** A payload with references is only checked in its own place, when it has their values. */
  after?: readonly { refers: boolean }[] | undefined;
}

export interface PrecheckDeps {
  catalogue: Catalogue;
  customTypes: CustomTypes;
  /** Makes messages of drafts, for one request. `hasFilledMany`: whether it has filled as many templates as one may. */
  compose(): Compose & { hasFilledMany(): boolean };
}

/**
 * Runs the checks of those job types that look at stored data: the templates of the organization, or the schemas that workers
 * have published. Throws one error with everything that they reject. Returns undefined, without a wait, when no type has such
 * a check. `pathIn` returns the path in the request for a path in its nth submission.
 */
export function precheck(
  deps: PrecheckDeps,
  orgId: OrgId,
  submissions: readonly Checked[],
  getSignal: () => AbortSignal,
  pathIn = (_n: number, path: string): string => path,
): Promise<void> | undefined {
  const hasCheck = ({ type, after }: Checked) =>
    !hasReferences(after) && (deps.catalogue.get(type)?.precheck !== undefined || deps.customTypes.isChecked(type));
  return submissions.some(hasCheck) ? checkAll(deps, orgId, submissions, pathIn, getSignal()) : undefined;
}

async function checkAll(
  deps: PrecheckDeps,
  orgId: OrgId,
  submissions: readonly Checked[],
  pathIn: (n: number, path: string) => string,
  signal: AbortSignal,
): Promise<void> {
  const check = checkerOf(deps, orgId, signal);
  const failures: ValidationFailure[] = [];
  for (const [n, submission] of submissions.entries()) {
    const failure = await check(submission, (path) => pathIn(n, path));
    if (failure) failures.push(failure);
  }
  // Invalid requests are reported before forbidden ones.
  const code = failures.find((failure) => failure.code === 'validation_failed')?.code ?? failures[0]?.code;
  if (code === undefined) return;
  const details = failures.filter((failure) => failure.code === code).flatMap((failure) => failure.details);
  throw rejectedPayload({ code, details: details.slice(0, MAX_ISSUES) });
}

/** Returns the check of one submission after the other, which reads each row of the organization once. */
export function checkerOf(
  deps: PrecheckDeps,
  orgId: OrgId,
  signal: AbortSignal,
): (submission: Checked, pathIn?: (path: string) => string) => Promise<ValidationFailure | null> {
  const compose = deps.compose();
  const ctx = { orgId, ports: { compose }, signal };
  const since = performance.now();
  return async (submission, pathIn = (path) => path) => {
    const { type, payload, payloadName, isStored, after } = submission;
    if (hasReferences(after)) return null;
    // A batch could name a thousand of the largest templates. Those of its further jobs are checked when these jobs run.
    const isLeftOut = 'template' in payload && compose.hasFilledMany();
    const own = isLeftOut ? null : await deps.catalogue.get(type)?.precheck?.(payload, ctx);
    const failure = own ?? (isStored ? null : await customFailure(deps, submission, since));
    return failure ? withPaths(failure, (path) => pathIn(path.replace(/^payload/, payloadName))) : null;
  };
}

function hasReferences(after: Checked['after']): boolean {
  return after?.some(({ refers }) => refers) ?? false;
}

/** The failure of a payload of a custom type. */
async function customFailure(
  { customTypes }: PrecheckDeps,
  { type, payload }: Checked,
  since: number,
): Promise<ValidationFailure | null> {
  const details = customTypes.isChecked(type) ? await customTypes.issues(type, payload, since) : [];
  return details.length > 0 ? { code: 'validation_failed', details } : null;
}

function withPaths({ code, details }: ValidationFailure, rename: (path: string) => string): ValidationFailure {
  return {
    code,
    details: details.map(({ path, message }) => ({
      path: rename(path),
      message: message.replace(`"${path}"`, `"${rename(path)}"`),
    })),
  };
}

export const INVALID_REQUEST = 'The request is invalid; see details.';

const MESSAGES: Record<ValidationFailure['code'], string> = {
  validation_failed: INVALID_REQUEST,
  sender_domain_not_verified: 'The domain of the sender is not verified for this organization; see details.',
  sender_not_registered: 'The sender is not a registered and approved sender id of this organization; see details.',
};

/** The error for a payload that its job type rejects. */
export function rejectedPayload({ code, details }: ValidationFailure): AppError {
  return new AppError(code, MESSAGES[code], { details });
}
