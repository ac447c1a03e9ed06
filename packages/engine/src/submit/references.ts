import type { ErrorDetail, Json, JsonObject } from '@jobline/contracts';
import { pathText } from '@jobline/handlers';
import { isJsonObject } from './validate.js';

/*
 * References in the payload of a job that waits for others: an object whose only members are `$from`, the id of such a job, and
 * perhaps `path`, a JSON Pointer (RFC 6901) into the result of that job.
 */

export interface Reference {
  /** In the payload. */
  path: readonly (string | number)[];
  /** The id of the job. */
  from: string;
  /** Absent: the whole result. */
  pointer: string | undefined;
}

/** Maximum number of issues of references in one payload. */
const MAX_ISSUES = 100;

/** Whether the value has the shape of a reference, whatever its members hold. */
function isReference(value: Json): value is { $from: Json; path?: Json } {
  if (!isJsonObject(value) || !Object.hasOwn(value, '$from')) return false;
  return Object.keys(value).every((name) => name === '$from' || name === 'path');
}

/** Calls back with each reference of a payload, which has at most as many levels as a payload may have. */
function visit(
  value: Json,
  path: readonly (string | number)[],
  found: (value: { $from: Json; path?: Json }, path: readonly (string | number)[]) => void,
): void {
  if (typeof value !== 'object' || value === null) return;
  if (isReference(value)) found(value, path);
  else if (Array.isArray(value)) for (const [n, item] of value.entries()) visit(item, [...path, n], found);
  else for (const [name, item] of Object.entries(value)) visit(item, [...path, name], found);
}

/** The references of a payload, and the issues of those that are invalid. `after`: the ids to which it may refer. */
export function readReferences(
  name: string,
  payload: JsonObject,
  after: readonly string[],
): { references: Reference[]; issues: ErrorDetail[] } {
  const references: Reference[] = [];
  const issues: ErrorDetail[] = [];
  const ids = new Set<Json>(after);
  visit(payload, [], ({ $from, path: pointer }, path) => {
    const addIssue = (field: string, message: string) => {
      const where = pathText([name, ...path, field]);
      if (issues.length < MAX_ISSUES) issues.push({ path: where, message: `"${where}" ${message}` });
    };
    if (typeof $from !== 'string') addIssue('$from', 'must be the id of a job');
    else if (!ids.has($from)) addIssue('$from', `is not an id in "after": ${$from.slice(0, 128)}`);
    else if (pointer !== undefined && !isPointer(pointer))
      addIssue('path', 'must be a JSON Pointer, such as /invoice/url');
    else references.push({ path, from: $from, pointer });
  });
  return { references, issues };
}

/** Leaves out the issues that are about references, which are taken to fit their places. */
export function withoutReferred(
  issues: readonly ErrorDetail[],
  name: string,
  references: readonly Reference[],
): ErrorDetail[] {
  const paths = new Set(references.map(({ path }) => pathText([name, ...path])));
  return issues.filter(({ path }) => !prefixesOf(path).some((prefix) => paths.has(prefix)));
}

/** The path, and those of all values that contain what it names. */
function prefixesOf(path: string): string[] {
  const ends = [...path.matchAll(/[.[]/g)].map(({ index }) => index);
  return [...ends.map((end) => path.slice(0, end)), path];
}

function isPointer(value: Json): value is string {
  return typeof value === 'string' && value.length <= 1_024 && /^(\/([^~/]|~[01])*)*$/.test(value);
}

/** The payload with the values of its references. `read` throws if there is none. */
export function resolve(payload: Json, read: (reference: Reference) => Json): Json {
  const copy = (value: Json, path: readonly (string | number)[]): Json => {
    if (typeof value !== 'object' || value === null) return value;
    if (isReference(value)) {
      // The casts: references were checked when the job was submitted.
      return read({ path, from: value.$from as string, pointer: value.path as string | undefined });
    }
    if (Array.isArray(value)) return value.map((item, n) => copy(item, [...path, n]));
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copy(item, [...path, name])]));
  };
  return copy(payload, []);
}

/** The value at a JSON Pointer. Undefined: there is none. */
export function valueAt(value: Json, pointer: string | undefined): Json | undefined {
  let at: Json | undefined = value;
  for (const part of pointer?.split('/').slice(1) ?? []) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = /^(0|[1-9]\d*)$/.test(name) ? at[Number(name)] : undefined;
    else at = typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at;
}
