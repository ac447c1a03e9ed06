import type { OrgId } from '@jobline/contracts';
import type { ValidationFailure } from '@jobline/handlers';
import type { Deps } from '../../deps.js';
import { rejectedPayload } from '../../http/errors.js';
import type { ParsedSubmission } from './submission.js';

/** What is checked of a submission. */
interface Checked extends Pick<ParsedSubmission, 'type' | 'payload' | 'payloadName'> {
  /** Whether the payload is that of a stored job, which was checked when it was submitted. */
  isStored?: boolean;
}

type CheckDeps = Deps<'catalogue' | 'compose' | 'customTypes'>;

/** Maximum number of validation issues in an error. A batch of 1,000 jobs may lack 100 variables of a template in each job. */
const MAX_ISSUES = 5_000;

/**
 * Runs the checks of those job types that look at stored data: the templates of the organization, or the schemas that workers
 * have published. Throws one error with everything that they reject. Returns undefined, without a wait, when no type has such
 * a check. `pathIn` returns the path in the request for a path in its nth submission.
 */
export function precheck(
  deps: CheckDeps,
  orgId: OrgId,
  submissions: readonly Checked[],
  pathIn: (n: number, path: string) => string,
  getSignal: () => AbortSignal,
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
  const ctx = { orgId, ports: { compose: deps.compose() }, signal };
  return async (submission, pathIn = (path) => path) => {
    const { type, payload, payloadName, isStored } = submission;
    const own = await deps.catalogue.get(type)?.precheck?.(payload, ctx);
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
