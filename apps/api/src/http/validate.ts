import type { ErrorDetail, JsonObject } from '@jobline/contracts';
import { pathText } from '@jobline/handlers';
import type { ObjectSchema, ValidationError } from 'joi';

/** Values that keep the rules, or every fault they have. */
export type Read<T> = { value: T } | { faults: ErrorDetail[] };

/** Reads named values, from a body or a query. */
export type Rule<T> = (values: Readonly<Record<string, unknown>>) => Read<T>;

/** So many unknown names are listed; a body could hold a hundred thousand. */
const MAX_UNKNOWN = 100;
const MAX_NAME_LENGTH = 128;

/** Nothing in a JSON body is converted: a number in quotes is a mistake worth hearing of. */
export function bodyRule<T>(schema: ObjectSchema<T>): Rule<T> {
  return rule(schema, false);
}

/** A query is text and has to be converted. */
export function queryRule<T>(schema: ObjectSchema<T>): Rule<T> {
  return rule(schema, true);
}

/** The names that a schema of an object knows. */
export function namesOf(schema: ObjectSchema): ReadonlySet<string> {
  return new Set(Object.keys(schema.describe().keys ?? {}));
}

function rule<T>(schema: ObjectSchema<T>, convert: boolean): Rule<T> {
  const names = namesOf(schema);
  return (values) => {
    // Joi sees the known names only. It copies objects in a way that loses a "__proto__" key, and takes half a second
    // to refuse a body full of unknown ones.
    const known: Record<string, unknown> = {};
    for (const name of names) if (Object.hasOwn(values, name)) known[name] = values[name];
    const { value, error } = schema.validate(known, { abortEarly: false, convert });
    const faults = [...faultsOf(error), ...unknownFaults(values, names)];
    return faults.length > 0 ? { faults } : { value };
  };
}

function faultsOf(error: ValidationError | undefined): ErrorDetail[] {
  return (error?.details ?? []).map(({ path, message }) => ({ path: pathText(path), message }));
}

function unknownFaults(values: Readonly<Record<string, unknown>>, names: ReadonlySet<string>): ErrorDetail[] {
  const unknown = Object.keys(values).filter((name) => !names.has(name));
  return unknown.slice(0, MAX_UNKNOWN).map((name) => {
    const path = name.slice(0, MAX_NAME_LENGTH);
    return { path, message: `"${path}" is not known here` };
  });
}

/** A query's values by name, and a fault for each name that comes more than once. */
export function readQuery(url: string): { values: Record<string, string>; faults: ErrorDetail[] } {
  const values: Record<string, string> = Object.create(null);
  const repeated = new Set<string>();
  const start = url.indexOf('?');
  if (start >= 0) {
    for (const [name, value] of new URLSearchParams(url.slice(start))) {
      if (name in values) repeated.add(name.slice(0, MAX_NAME_LENGTH));
      values[name] = value;
    }
  }
  return { values, faults: [...repeated].map((path) => ({ path, message: `"${path}" is given more than once` })) };
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
