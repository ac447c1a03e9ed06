import type { IncomingHttpHeaders } from 'node:http';
import { type AppError, type ErrorDetail, IDEMPOTENCY_KEY_PATTERN, type JsonObject } from '@jobline/contracts';
import { pathText } from '@jobline/handlers';
import type { Description, ObjectSchema, ValidationError } from 'joi';
import { invalidRequest } from './errors.js';

/** A valid value, or every validation issue. */
export type Validated<T> = { value: T } | { issues: ErrorDetail[] };

/** Validates named values of a body or a query. */
type Validator<T> = (values: JsonLike) => Validated<T>;

type JsonLike = Readonly<Record<string, unknown>>;

/** Maximum number of unknown names in an error response. A body could contain a hundred thousand. */
const MAX_UNKNOWN = 100;
const MAX_NAME_LENGTH = 128;

/** Values of a JSON body are not converted: a number in quotes is probably a mistake, so it is an error. */
export function bodyValidator<T>(schema: ObjectSchema<T>): Validator<T> {
  return createValidator(schema, false);
}

/** Values of a query are text, so they are converted. */
export function queryValidator<T>(schema: ObjectSchema<T>): Validator<T> {
  return createValidator(schema, true);
}

/** Accepts no value. */
export function rejectAll(values: JsonLike): Validated<Record<string, never>> {
  const issues = unknownNames(values, new Map());
  return issues.length > 0 ? { issues } : { value: {} };
}

/** The keys of an object schema. */
export function keysOf(schema: ObjectSchema): ReadonlySet<string> {
  return new Set(Object.keys(descriptionOf(schema).keys ?? {}));
}

const descriptions = new WeakMap<ObjectSchema, Description>();

/** Describing a schema is slow, so each is described once per process. */
function descriptionOf(schema: ObjectSchema): Description {
  const description = descriptions.get(schema) ?? schema.describe();
  descriptions.set(schema, description);
  return description;
}

function createValidator<T>(schema: ObjectSchema<T>, convert: boolean): Validator<T> {
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

function unknownNames(values: JsonLike, names: Names, parents: string[] = []): ErrorDetail[] {
  const unknown = Object.keys(values).filter((name) => !names.has(name));
  return unknown.slice(0, MAX_UNKNOWN).map((name) => {
    const path = pathText([...parents, name.slice(0, MAX_NAME_LENGTH)]);
    return { path, message: `"${path}" is not allowed` };
  });
}

/** The keys of an object schema whose values are arrays. */
export function listsIn(schema: ObjectSchema): ReadonlySet<string> {
  const keys: Record<string, { type?: string }> = descriptionOf(schema).keys ?? {};
  return new Set(Object.keys(keys).filter((name) => keys[name]?.type === 'array'));
}

/** The values of a query by name, and an issue for each repeated name. The values of the names in `lists` are arrays. */
export function readQuery(
  url: string,
  lists: ReadonlySet<string> = new Set(),
): { values: Record<string, string | string[]>; issues: ErrorDetail[] } {
  const values: Record<string, string | string[]> = Object.create(null);
  const repeated = new Set<string>();
  const start = url.indexOf('?');
  if (start >= 0) {
    for (const [name, value] of new URLSearchParams(url.slice(start))) {
      if (lists.has(name)) {
        values[name] = [...(values[name] ?? []), value];
        continue;
      }
      if (name in values) repeated.add(name.slice(0, MAX_NAME_LENGTH));
      values[name] = value;
    }
  }
  return { values, issues: [...repeated].map((path) => ({ path, message: `"${path}" must be sent only once` })) };
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Requests with the same value of this header are carried out once. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** Undefined without the header. Node joins repeated headers with a space, which the pattern does not allow. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): Validated<string | undefined> {
  const key = headers['idempotency-key'];
  if (key === undefined || (typeof key === 'string' && IDEMPOTENCY_KEY_PATTERN.test(key))) return { value: key };
  const message = `"${IDEMPOTENCY_KEY}" must be 1 to 255 visible ASCII characters, and must be sent once`;
  return { issues: [{ path: IDEMPOTENCY_KEY, message }] };
}

/** The id of the last event that a client has received. Every EventSource sends it when it reconnects. */
export const LAST_EVENT_ID = 'Last-Event-ID';

/** Undefined without the header or with an empty one. */
export function readLastEventId(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['last-event-id'];
  // Node joins repeated headers with a comma, which no stream uses in an id.
  return id === '' || id === undefined ? undefined : String(id);
}

export function unknownLastEventId(): AppError {
  return invalidRequest([{ path: LAST_EVENT_ID, message: `"${LAST_EVENT_ID}" is not an event id of this stream` }]);
}

/** Whether a request has a body. These two headers are the only sign of it. */
export function hasBody({ 'transfer-encoding': encoding, 'content-length': length }: IncomingHttpHeaders): boolean {
  return encoding !== undefined || (length !== undefined && length !== '0');
}
