import type { OrgId } from '@jobline/contracts';
import type { ValidationFailure } from '@jobline/handlers';
import type { Deps } from '../../deps.js';
import { rejectedPayload } from '../../http/http-errors.js';
import type { ParsedSubmission } from './submission.js';

/** What is checked of a submission. */
type Checked = Pick<ParsedSubmission, 'type' | 'payload' | 'payloadName'>;

/** Maximum number of validation issues in an error. A batch of 1,000 jobs may lack 100 variables of a template in each job. */
const MAX_ISSUES = 5_000;

/**
 * Runs the checks of those job types that look at the stored data of the organization, such as its templates. Throws one
 * error with everything that they reject. Returns undefined, without a wait, when no type has such a check. `pathIn`
 * returns the path in the request for a path in its nth submission.
 */
export function precheck(
  deps: Deps<'catalogue' | 'compose'>,
  orgId: OrgId,
  submissions: readonly Checked[],
  pathIn: (n: number, path: string) => string,
  getSignal: () => AbortSignal,
): Promise<void> | undefined {
  const hasCheck = ({ type }: Checked) => deps.catalogue.get(type)?.precheck !== undefined;
  return submissions.some(hasCheck) ? checkAll(deps, orgId, submissions, pathIn, getSignal()) : undefined;
}

async function checkAll(
  deps: Deps<'catalogue' | 'compose'>,
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
  deps: Deps<'catalogue' | 'compose'>,
  orgId: OrgId,
  signal: AbortSignal,
): (submission: Checked, pathIn?: (path: string) => string) => Promise<ValidationFailure | null> {
  const ctx = { orgId, ports: { compose: deps.compose() }, signal };
  return async ({ type, payload, payloadName }, pathIn = (path) => path) => {
    const failure = await deps.catalogue.get(type)?.precheck?.(payload, ctx);
    return failure ? withPaths(failure, (path) => pathIn(path.replace(/^payload/, payloadName))) : null;
  };
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
