import type { ErrorDetail, JsonObject } from '@jobline/contracts';
import type { Description } from 'joi';
import type { Handler } from './define-handler.js';
import { builtIn, type Catalogue } from './jobs/index.js';
import { MAX_NAME_LENGTH, pathText } from './path-text.js';

/** The names of an object, each with those of the object that it contains, or null. */
type Names = ReadonlyMap<string, Names | null>;

/** The names that the schemas of the built-in types look at. A schema of a custom type may look at any. */
const BUILT_IN_NAMES: ReadonlyMap<Handler, Names> = new Map(
  builtIn.map((handler) => [handler, namesIn(handler.payload?.describe() ?? { flags: {} })]),
);

function namesIn({ keys = {} }: Description): Names {
  // The cast: the keys of a description are descriptions.
  const entries = Object.entries(keys as Record<string, Description>);
  return new Map(entries.map(([name, inner]) => [name, inner.keys ? namesIn(inner) : null]));
}

/** All issues of a payload, with paths under `payload`. None if the type is not known here. */
export function payloadIssues(catalogue: Catalogue, type: string, payload: JsonObject): ErrorDetail[] {
  const handler = catalogue.get(type);
  if (!handler) return [];
  const names = BUILT_IN_NAMES.get(handler);
  if (!names) return issuesOf(handler, payload);
  const unknown: ErrorDetail[] = [];
  return [...issuesOf(handler, knownPart(payload, names, [], unknown)), ...unknown];
}

/** How many ignored fields are named at most. */
const MAX_IGNORED = 20;

/** The fields of a payload that a built-in type does not know, at most 20 of them. None for a custom type. */
export function ignoredFields(handler: Handler, payload: JsonObject): string[] {
  const names = BUILT_IN_NAMES.get(handler);
  if (!names) return [];
  const ignored: string[] = [];
  for (const name in payload) {
    if (!names.has(name)) ignored.push(name.slice(0, MAX_NAME_LENGTH));
    if (ignored.length === MAX_IGNORED) break;
  }
  return ignored;
}

/**
 * Joi copies an object with each of its names before it validates it, which takes long for sixty thousand unknown names.
 * Those of the payload itself are allowed; those of an object in it are added to `unknown`.
 */
function knownPart(value: JsonObject, names: Names, path: readonly string[], unknown: ErrorDetail[]): JsonObject {
  const known: JsonObject = {};
  for (const [name, inner] of names) {
    if (!Object.hasOwn(value, name)) continue;
    const part = value[name] ?? null;
    const isObject = typeof part === 'object' && part !== null && !Array.isArray(part);
    known[name] = inner && isObject ? knownPart(part, inner, [...path, name], unknown) : part;
    if (inner && isObject) unknown.push(...unknownIssues(part, inner, [...path, name]));
  }
  return known;
}

/** Maximum number of unknown names of an object that an error response contains. */
const MAX_UNKNOWN = 100;

function unknownIssues(value: JsonObject, names: Names, path: readonly string[]): ErrorDetail[] {
  const unknown = Object.keys(value).filter((name) => !names.has(name));
  return unknown.slice(0, MAX_UNKNOWN).map((name) => ({
    path: pathText(['payload', ...path, name]),
    message: `"${pathText([...path, name])}" is not allowed`,
  }));
}

/** Validates a payload against the Joi schema. It is not converted, completed or stripped. */
export function issuesOf(handler: Pick<Handler, 'payload'>, payload: object): ErrorDetail[] {
  const options = { abortEarly: false, convert: false, allowUnknown: true };
  const issues = handler.payload?.validate(payload, options).error?.details ?? [];
  return issues.map(({ path, message }) => ({ path: pathText(['payload', ...path]), message }));
}

/** Validates a payload against the schema of any library. */
export async function checkPayload(
  handler: Pick<Handler, 'payload' | 'schema'>,
  payload: object,
): Promise<ErrorDetail[]> {
  const own = issuesOf(handler, payload);
  if (!handler.schema) return own;
  const { issues = [] } = await handler.schema['~standard'].validate(payload);
  return [
    ...own,
    ...issues.map(({ path = [], message }) => ({ path: pathText(['payload', ...path.map(stepOf)]), message })),
  ];
}

function stepOf(step: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof step === 'object' ? step.key : step;
  return typeof key === 'number' ? key : String(key);
}
