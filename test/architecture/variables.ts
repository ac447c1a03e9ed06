import type { Schema } from 'joi';

export const VARIABLE = /^[A-Z][A-Z0-9_]{3,}$/;

/** The variables that a schema of the environment reads, those of every provider included, chosen or not. */
export function variablesOf(schema: Schema): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) for (const item of part) visit(item);
    if (typeof part !== 'object' || part === null) return;
    if ('keys' in part && typeof part.keys === 'object')
      for (const name of Object.keys(part.keys ?? {})) names.add(name);
    for (const value of Object.values(part)) visit(value);
  };
  visit(schema.describe());
  return new Set([...names].filter((name) => VARIABLE.test(name)));
}
