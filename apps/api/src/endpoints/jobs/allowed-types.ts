import { type ErrorDetail, NAME_PATTERN } from '@jobline/contracts';

/**
 * An issue if the operator does not allow jobs of a type. `allowed` undefined: all types are allowed. `name` is the caller's
 * spelling of `type`. The schema reports values that are not a type at all.
 */
export function typeIssues(allowed: ReadonlySet<string> | undefined, name: string, type: unknown): ErrorDetail[] {
  if (!allowed || typeof type !== 'string' || !NAME_PATTERN.test(type) || allowed.has(type)) return [];
  return [{ path: name, message: `"${name}" is not a job type that this installation accepts` }];
}
