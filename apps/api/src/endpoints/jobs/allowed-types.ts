import { type ErrorDetail, NAME_PATTERN } from '@jobline/contracts';

/**
 * Whether the operator lets jobs of a type be submitted; undefined: all types are allowed. `name` is how the caller
 * spells `type`. A value that is no type at all is left to the schema.
 */
export function typeFaults(allowed: ReadonlySet<string> | undefined, name: string, type: unknown): ErrorDetail[] {
  if (!allowed || typeof type !== 'string' || !NAME_PATTERN.test(type) || allowed.has(type)) return [];
  return [{ path: name, message: `"${name}" is not a job type that this installation accepts` }];
}
