import { AppError, type ErrorDetail, type OrgId } from '@jobline/contracts';
import type { AuditOrigin } from '@jobline/db';
import { createFairLimiter, type FairLimiter, readTraceparent } from '@jobline/runtime';
import type { Express, Request, Response } from 'express';
import Joi, { type ObjectSchema } from 'joi';
import { authorize } from './auth/principal.js';
import { visibilityCheck } from './auth/visible-types.js';
import type { BodyBudget, BodyMemory } from './budgets/body-budget.js';
import type { LargePages } from './budgets/expensive-work.js';
import type { ResponseBudget } from './budgets/response-budget.js';
import type { EndpointDeps } from './deps.js';
import type { Call, CustomBody, Endpoint, RawRequest } from './endpoint.js';
import { invalidRequest, methodNotAllowed, notFound } from './http/errors.js';
import { declaredBytes, hasBody, readBytes, readJson } from './http/read-body.js';
import { readIdempotencyKey, readLastEventId } from './http/request-headers.js';
import { disconnectSignal, send } from './http/send.js';
import {
  bodyValidator,
  isJsonObject,
  listsIn,
  queryValidator,
  readQuery,
  rejectAll,
  type Validated,
} from './http/validate.js';
import { addressKey } from './rate-limits/client-address.js';
import { limitsOf, rateLimitSessions } from './rate-limits/endpoint-limits.js';

/** How many reads of an organization may be in progress, so that it cannot fill the queue of the connection pool. */
const MAX_READS = 32;

interface MountDeps extends EndpointDeps {
  /** The memory that request bodies may use. */
  bodies: BodyBudget;
  /** The memory that responses may use until their clients have received them. */
  responses: ResponseBudget;
  largePages: LargePages;
}

/**
 * Adds the endpoints to an app, in their order: a path without names must come before one that would match it too. A
 * request whose method the path does not support is rejected before anything else of it is looked at.
 */
export function mount(app: Express, endpoints: readonly Endpoint[], deps: MountDeps): void {
  const reads = createFairLimiter({ perOwner: MAX_READS });
  for (const [path, methods] of byPath(endpoints)) {
    const runs = new Map([...methods].map(([method, endpoint]) => [method, runner(endpoint, deps, reads)]));
    const allowed = [...runs.keys()].join(', ');
    // One layer; `app.all` would add one for each HTTP method.
    app.route(path).all((req, res) => {
      const run = runs.get(req.method);
      if (run) return run(req, res);
      throw methodNotAllowed(allowed);
    });
  }
}

/** Path → method → endpoint. HEAD runs the endpoint of GET; Node omits the body. */
function byPath(endpoints: readonly Endpoint[]): Map<string, Map<string, Endpoint>> {
  const paths = new Map<string, Map<string, Endpoint>>();
  for (const endpoint of endpoints) {
    const methods = paths.get(endpoint.path) ?? new Map<string, Endpoint>();
    paths.set(endpoint.path, methods);
    for (const [, name = ''] of endpoint.path.matchAll(/:(\w+)/g)) {
      if (!Object.hasOwn(endpoint.params ?? {}, name))
        throw new Error(`${endpoint.path}: "${name}" has no pattern in params`);
    }
    for (const method of endpoint.method === 'get' ? ['GET', 'HEAD'] : [endpoint.method.toUpperCase()]) {
      if (methods.has(method)) throw new Error(`two endpoints for ${method} ${endpoint.path}`);
      methods.set(method, endpoint);
    }
  }
  return paths;
}

/**
 * Checks a request and runs its endpoint. The order of error responses is part of the API: credentials, right and scope, body,
 * validation, existence, with the rate limits in between.
 */
function runner(
  endpoint: Endpoint,
  all: MountDeps,
  reads: FairLimiter,
): (req: Request, res: Response) => Promise<void> {
  const { auth, path, params: patterns = {}, handle } = endpoint;
  const { credentials, limits, settings, bodies, responses, largePages } = all;
  const deps = neededBy(endpoint, all);
  const validate = requestValidator(endpoint, all);
  const requireVisible = visibilityCheck(path);
  const startSession = rateLimitSessions(limitsOf(endpoint), limits, deps);
  return async (req, res) => {
    const rateLimit = startSession(() => req.ip);
    await rateLimit.checkAddress();
    const principal = auth === 'none' ? undefined : await credentials.authenticate(req.headers, auth, () => req.ip);
    res.locals.principal = principal;
    if (principal) authorize(principal, endpoint);
    if (principal) await rateLimit.checkPrincipal(principal, declaredBytes(req.headers, settings.maxBodyBytes));
    const owner = principal?.orgId ?? addressKey(req.ip);
    const memory = bodies.open(owner);
    let endPage: (() => void) | undefined;
    try {
      const raw = endpoint.raw && (await readRaw(req, endpoint.raw, { memory, patterns, deps }));
      const onSize = (sizeBytes: number) => principal && rateLimit.checkBody(principal, sizeBytes);
      const isLeftOut = endpoint.isBodyOptional && !hasBody(req.headers);
      const body = isLeftOut ? {} : endpoint.body && (await readJson(req, settings.maxBodyBytes, memory, onSize));
      const valid = validate(req, body);
      await rateLimit.checkContent({ principal, body: valid.body });
      const params = readParams(req, patterns);
      const checking = principal && requireVisible(all.db, principal, { params, idempotencyKey: valid.idempotencyKey });
      if (checking) await checking;
      const call: Call = {
        deps,
        principal,
        origin: originOf(req, res),
        traceparent: readTraceparent(req.headers.traceparent),
        params,
        url: req.url,
        raw,
        lastEventId: endpoint.resumable && readLastEventId(req.headers),
        isStillAllowed: () => isAllowed(endpoint, all, req),
        getSignal: () => disconnectSignal(res),
        reserve: (jsonBytes) => memory.reserve(jsonBytes),
        onEnd: (listener) => void (res.closed ? listener() : res.once('close', listener)),
        ...valid,
      };
      const read = async (orgId: OrgId) => {
        if (req.socket.destroyed) return null;
        // Not before: an organization that waits for its own reads must not hold a turn that others need.
        endPage = await largePages.take(orgId, valid.query);
        return handle(call);
      };
      const isRead = principal && endpoint.method === 'get';
      const answer = await (isRead ? reads.run(() => read(principal.orgId), { owner: principal.orgId }) : handle(call));
      if (!answer) return; // the client closed its connection while the read waited
      memory.release();
      const headers = await rateLimit.succeed();
      for (const name in headers) res.setHeader(name, headers[name] ?? '');
      await send(req, res, answer);
      responses.add(owner, res);
    } finally {
      memory.release();
      endPage?.();
    }
  };
}

/** Only the dependencies that the endpoint declares. */
function neededBy({ needs = [] }: Endpoint, all: EndpointDeps): Readonly<Record<string, unknown>> {
  return Object.fromEntries(needs.map((name) => [name, all[name]]));
}

function originOf(req: Request, { locals: { principal, auditedRequestId } }: Response): AuditOrigin {
  const actorId = principal?.kind === 'user' ? principal.userId : null;
  return { actorId, ip: req.ip ?? null, requestId: auditedRequestId };
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

/** Repeats the checks of the credentials and of the right. */
async function isAllowed(endpoint: Endpoint, deps: EndpointDeps, req: Request): Promise<boolean> {
  const { auth } = endpoint;
  if (auth === 'none') return true;
  try {
    authorize(await deps.credentials.authenticate(req.headers, auth), endpoint);
    return true;
  } catch (error) {
    if (error instanceof AppError && (error.code === 'unauthenticated' || error.code === 'forbidden')) return false;
    throw error;
  }
}

/** Validates query, header and body together, so that one error response lists the issues of all. */
function requestValidator(
  endpoint: Endpoint,
  deps: EndpointDeps,
): (req: Request, body: unknown) => Pick<Call, 'query' | 'body' | 'idempotencyKey'> {
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

function readParams(req: Request, patterns: Record<string, RegExp>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const name in patterns) {
    const value = String(req.params[name]);
    if (!patterns[name]?.test(value)) throw notFound();
    params[name] = value;
  }
  return params;
}
