import type { ErrorDetail } from '@jobline/contracts';
import type { Request } from 'express';
import Joi, { type ObjectSchema } from 'joi';
import type { BodyMemory } from './budgets/body-budget.js';
import type { EndpointDeps } from './deps.js';
import type { Call, CustomBody, Endpoint, RawRequest } from './endpoint.js';
import { invalidRequest, notFound } from './http/errors.js';
import { hasBody, readBytes, readJson } from './http/read-body.js';
import {
  bodyValidator,
  isJsonObject,
  listsIn,
  queryValidator,
  readIdempotencyKey,
  readQuery,
  rejectAll,
  type Validated,
} from './http/validate.js';

/** What a valid request contains, apart from its path. */
type Content = Pick<Call, 'raw' | 'query' | 'body' | 'idempotencyKey'>;

/**
 * Reads and validates the requests of an endpoint. `memory` counts their bodies; `onSize` is called before a body is parsed and
 * can reject it by throwing. `deps`: those that the endpoint declares.
 */
export function requestReader(
  endpoint: Endpoint,
  all: EndpointDeps,
  deps: unknown,
): (req: Request, memory: BodyMemory, onSize: (sizeBytes: number) => void) => Promise<Content> {
  const { raw, params: patterns = {}, body, isBodyOptional } = endpoint;
  const { maxBodyBytes } = all.settings;
  const validate = requestValidator(endpoint, all);
  return async (req, memory, onSize) => {
    const unparsed = raw && (await readRaw(req, raw, { memory, patterns, deps }));
    const isLeftOut = isBodyOptional && !hasBody(req.headers);
    const json = isLeftOut ? {} : body && (await readJson(req, maxBodyBytes, memory, onSize));
    return { raw: unparsed, ...validate(req, json) };
  };
}

/** The values of the names in a path. */
export function readParams(req: Request, patterns: Record<string, RegExp>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const name in patterns) {
    const value = String(req.params[name]);
    if (!patterns[name]?.test(value)) throw notFound();
    params[name] = value;
  }
  return params;
}

async function readRaw(
  req: Request,
  { maxBytes, check }: NonNullable<Endpoint['raw']>,
  { memory, patterns, deps }: { memory: BodyMemory; patterns: Record<string, RegExp>; deps: unknown },
): Promise<RawRequest> {
  const { headers, url } = req;
  const start = url.indexOf('?');
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start));
  check({ headers, query }, readParams(req, patterns), deps);
  return { body: await readBytes(req, maxBytes, memory), headers, query };
}

/** Validates query, header and body together, so that one error response lists the issues of all. */
function requestValidator(
  endpoint: Endpoint,
  deps: EndpointDeps,
): (req: Request, body: unknown) => Omit<Content, 'raw'> {
  const validateQuery = endpoint.query ? queryValidator(endpoint.query) : rejectAll;
  const lists = endpoint.query && listsIn(endpoint.query);
  const validateBody = endpoint.body && jsonValidator(endpoint.body, deps);
  return (req, json) => {
    const { values, issues } = endpoint.raw ? { values: {}, issues: [] } : readQuery(req.url, lists);
    const query = take(validateQuery(values), issues);
    const idempotencyKey = endpoint.idempotent && take(readIdempotencyKey(req.headers), issues);
    const body = validateBody && take(validateBody(json, query), issues);
    if (issues.length > 0) throw invalidRequest(issues);
    return { query, body, idempotencyKey };
  };
}

function jsonValidator<B>(
  body: ObjectSchema<B> | CustomBody<B>,
  deps: EndpointDeps,
): (json: unknown, query: unknown) => Validated<B> {
  const validate: CustomBody<B>['validate'] = Joi.isSchema(body) ? bodyValidator(body) : body.validate;
  return (json, query) =>
    isJsonObject(json)
      ? validate(json, deps, query)
      : { issues: [{ path: '', message: 'the body must be a JSON object' }] };
}

/** The value, or undefined with its issues added to the others. */
function take<T>(validated: Validated<T>, issues: ErrorDetail[]): T | undefined {
  if ('value' in validated) return validated.value;
  issues.push(...validated.issues);
  return undefined;
}
