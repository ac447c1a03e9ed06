import { type ErrorDetail, type Json, type JsonObject, LIMITS, NAME_PATTERN, type OrgId } from '@jobline/contracts';
import { type Catalogue, pathText, payloadIssues, type ValidationFailure } from '@jobline/handlers';
import type { AppSettings } from '../../config.js';
import type { Deps } from '../../deps.js';
import { rejectedPayload } from '../../http/errors.js';
import { isJsonObject } from '../../http/validate.js';

/** Maximum number of validation issues in the shape of one payload. */
const MAX_SHAPE_ISSUES = 100;
/** Maximum number of validation issues in an error. A batch of 1,000 jobs may lack 100 variables of a template in each job. */
const MAX_ISSUES = 5_000;

/** What a submission is validated against, in addition to its schema. */
export interface SubmissionRules extends Pick<AppSettings, 'allowedTypes'> {
  catalogue: Catalogue;
}

export function rulesOf({ catalogue, settings }: Deps<'catalogue' | 'settings'>): SubmissionRules {
  return { catalogue, allowedTypes: settings.allowedTypes };
}

/**
 * An issue if the operator does not allow jobs of a type. `allowed` undefined: all types are allowed. `name` is the caller's
 * spelling of `type`. The schema reports values that are not a type at all.
 */
export function typeIssues(allowed: ReadonlySet<string> | undefined, name: string, type: unknown): ErrorDetail[] {
  if (!allowed || typeof type !== 'string' || !NAME_PATTERN.test(type) || allowed.has(type)) return [];
  return [{ path: name, message: `"${name}" is not a job type that this installation accepts` }];
}

/** The issues inside a payload. The schema reports a missing payload and one that is not an object. */
export function issuesOfPayload(catalogue: Catalogue, name: string, type: unknown, payload: unknown): ErrorDetail[] {
  if (!isJsonObject(payload)) return [];
  const shape = payloadShapeIssues(name, payload);
  if (shape.length > 0 || typeof type !== 'string') return shape;
  return payloadIssues(catalogue, type, payload).map(({ path, message }) => ({
    path: path.replace('payload', name),
    message,
  }));
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
}

type CheckDeps = Deps<'catalogue' | 'compose' | 'customTypes'>;

/**
 * Runs the checks of those job types that look at stored data: the templates of the organization, or the schemas that workers
 * have published. Throws one error with everything that they reject. Returns undefined, without a wait, when no type has such
 * a check. `pathIn` returns the path in the request for a path in its nth submission.
 */
export function precheck(
  deps: CheckDeps,
  orgId: OrgId,
  submissions: readonly Checked[],
  getSignal: () => AbortSignal,
  pathIn = (_n: number, path: string): string => path,
): Promise<void> | undefined {
  const hasCheck = ({ type }: Checked) =>
    deps.catalogue.get(type)?.precheck !== undefined || deps.customTypes.isChecked(type);
  return submissions.some(hasCheck) ? checkAll(deps, orgId, submissions, pathIn, getSignal()) : undefined;
}

async function checkAll(
  deps: CheckDeps,
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
  deps: CheckDeps,
  orgId: OrgId,
  signal: AbortSignal,
): (submission: Checked, pathIn?: (path: string) => string) => Promise<ValidationFailure | null> {
  const compose = deps.compose();
  const ctx = { orgId, ports: { compose }, signal };
  return async (submission, pathIn = (path) => path) => {
    const { type, payload, payloadName, isStored } = submission;
    // A batch could name a thousand of the largest templates. Those of its further jobs are checked when these jobs run.
    const isLeftOut = 'template' in payload && compose.hasFilledMany();
    const own = isLeftOut ? null : await deps.catalogue.get(type)?.precheck?.(payload, ctx);
    const failure = own ?? (isStored ? null : await customFailure(deps, submission));
    return failure ? withPaths(failure, (path) => pathIn(path.replace(/^payload/, payloadName))) : null;
  };
}

/** The failure of a payload of a custom type. */
async function customFailure(
  { customTypes }: CheckDeps,
  { type, payload }: Checked,
): Promise<ValidationFailure | null> {
  const details = customTypes.isChecked(type) ? await customTypes.issues(type, payload) : [];
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
