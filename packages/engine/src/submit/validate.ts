import type { ErrorDetail, JsonObject } from '@jobline/contracts';
import { pathText } from '@jobline/handlers';
import type { Description, ObjectSchema, ValidationError } from 'joi';

/** A valid value, or every validation issue. */
export type Validated<T> = { value: T } | { issues: ErrorDetail[] };

/** Validates named values of a body or a query. */
export type Validator<T> = (values: JsonLike) => Validated<T>;

type JsonLike = Readonly<Record<string, unknown>>;

/** Maximum number of unknown names in an error response. A body could contain a hundred thousand. */
const MAX_UNKNOWN = 100;
const MAX_NAME_LENGTH = 128;

/** Values of a JSON body are not converted: a number in quotes is probably a mistake, so it is an error. */
export function bodyValidator<T>(schema: ObjectSchema<T>): Validator<T> {
  return createValidator(schema, false);
}

/** The keys of an object schema. */
export function keysOf(schema: ObjectSchema): ReadonlySet<string> {
  return new Set(Object.keys(descriptionOf(schema).keys ?? {}));
}

const descriptions = new WeakMap<ObjectSchema, Description>();

/** Describing a schema is slow, so each is described once per process. */
export function descriptionOf(schema: ObjectSchema): Description {
  const description = descriptions.get(schema) ?? schema.describe();
  descriptions.set(schema, description);
  return description;
}

/** `convert`: whether text is converted to what the schema asks for. */
export function createValidator<T>(schema: ObjectSchema<T>, convert: boolean): Validator<T> {
  const names = namesIn(descriptionOf(schema));
  return (values) => {
    // Joi gets the known names only. It copies objects in a way that loses a "__proto__" key, and needs half a second
    // to reject a body full of unknown names.
    const unknown: ErrorDetail[] = [];
    const { value, error } = schema.validate(takeKnown(values, names, [], unknown), { abortEarly: false, convert });
    const issues = [...issuesOf(error), ...unknown];
    return issues.length > 0 ? { issues } : { value };
  };
}

/** The names of an object, each with those of the object that it contains, or null. */
type Names = ReadonlyMap<string, Names | null>;

function namesIn({ keys = {} }: Description): Names {
  // The cast: the keys of a description are descriptions.
  const entries = Object.entries(keys as Record<string, Description>);
  return new Map(entries.map(([name, child]) => [name, child.keys ? namesIn(child) : null]));
}

/** The values with known names. Adds the unknown names to `issues`. */
function takeKnown(values: JsonLike, names: Names, path: string[], issues: ErrorDetail[]): Record<string, unknown> {
  const known: Record<string, unknown> = {};
  for (const [name, inner] of names) {
    if (!Object.hasOwn(values, name)) continue;
    const value = values[name];
    known[name] = inner && isJsonObject(value) ? takeKnown(value, inner, [...path, name], issues) : value;
  }
  issues.push(...unknownNames(values, names, path));
  return known;
}

function issuesOf(error: ValidationError | undefined): ErrorDetail[] {
  return (error?.details ?? []).map(({ path, message }) => ({ path: pathText(path), message }));
}

export function unknownNames(values: JsonLike, names: Names, parents: string[] = []): ErrorDetail[] {
  const unknown = Object.keys(values).filter((name) => !names.has(name));
  return unknown.slice(0, MAX_UNKNOWN).map((name) => {
    const path = pathText([...parents, name.slice(0, MAX_NAME_LENGTH)]);
    return { path, message: `"${path}" is not allowed` };
  });
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
