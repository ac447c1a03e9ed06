import { AppError, type ErrorDetail } from '@jobline/contracts';
import type { AuditOrigin } from '@jobline/db';
import { readTraceparent } from '@jobline/runtime';
import type { Express, Request, Response } from 'express';
import Joi, { type ObjectSchema } from 'joi';
import type { Principal } from './auth/principal.js';
import { hasRight } from './auth/roles.js';
import type { EndpointDeps } from './deps.js';
import type { Call, CustomBody, Endpoint, RawRequest } from './endpoint.js';
import { declaredBytes, readBytes, readJson } from './http/body.js';
import type { BodyMemory } from './http/body-budget.js';
import { goneSignal } from './http/disconnect-signal.js';
import { readIdempotencyKey } from './http/idempotency-key.js';
import { readLastEventId } from './http/last-event-id.js';
import { notFound } from './http/http-errors.js';
import { bodyRule, isJsonObject, queryRule, type Read, type Rule, readQuery } from './http/validate.js';
import { send } from './http/send.js';
import { addressKey } from './limits/client-address.js';
import { limitsOf, passageOf } from './limits/endpoint-limits.js';

/**
 * Puts endpoints into an app, in their order: a path without names must come before one that would match it too. A path
 * with a method that it does not have is refused before anything of the request is looked at.
 */
export function mount(app: Express, endpoints: readonly Endpoint[], deps: EndpointDeps): void {
  for (const [path, methods] of byPath(endpoints)) {
    const runs = new Map([...methods].map(([method, endpoint]) => [method, runner(endpoint, deps)]));
    const allow = [...runs.keys()].join(', ');
    app.all(path, (req, res) => {
      const run = runs.get(req.method);
      if (run) return run(req, res);
      throw new AppError('method_not_allowed', `This path takes ${allow}.`, { headers: { Allow: allow } });
    });
  }
}

/** Path → method → endpoint. HEAD is GET; Node leaves the body out. */
function byPath(endpoints: readonly Endpoint[]): Map<string, Map<string, Endpoint>> {
  const paths = new Map<string, Map<string, Endpoint>>();
  for (const endpoint of endpoints) {
    const methods = paths.get(endpoint.path) ?? new Map<string, Endpoint>();
    paths.set(endpoint.path, methods);
    for (const [, name = ''] of endpoint.path.matchAll(/:(\w+)/g)) {
      if (!Object.hasOwn(endpoint.params ?? {}, name))
        throw new Error(`${endpoint.path}: what does "${name}" look like?`);
    }
    for (const method of endpoint.method === 'get' ? ['GET', 'HEAD'] : [endpoint.method.toUpperCase()]) {
      if (methods.has(method)) throw new Error(`two endpoints for ${method} ${endpoint.path}`);
      methods.set(method, endpoint);
    }
  }
  return paths;
}

/** The order of refusal, as the contract has it: who, may they, body, rules, existence, and in between how often. */
function runner(endpoint: Endpoint, deps: EndpointDeps): (req: Request, res: Response) => Promise<void> {
  const { auth, right, params: patterns = {}, handle } = endpoint;
  const validate = validator(endpoint, deps);
  const enter = passageOf(limitsOf(endpoint), deps);
  return async (req, res) => {
    const passage = enter(() => req.ip);
    await passage.byAddress();
    const principal =
      auth === 'none' ? undefined : await deps.credentials.authenticate(req.headers, auth, () => req.ip);
    res.locals.principal = principal;
    if (principal && right && !hasRight(principal.role, right)) throw forbidden(principal);
    if (principal) await passage.byPrincipal(principal, declaredBytes(req.headers, deps.settings.maxBodyBytes));
    const memory = deps.bodies.open(principal?.orgId ?? addressKey(req.ip));
    let endPage: (() => void) | undefined;
    try {
      const raw = endpoint.raw && (await readRaw(req, endpoint.raw, { memory, patterns, deps }));
      const onSize = (sizeBytes: number) => principal && passage.byBody(principal, sizeBytes);
      const body = endpoint.body && (await readJson(req, deps.settings.maxBodyBytes, memory, onSize));
      const checked = validate(req, body);
      await passage.byContent({ principal, body: checked.body });
      const params = readParams(req, patterns);
      const isStillAllowed = () => isAllowed(endpoint, deps, req);
      const lastEventId = endpoint.resumable && readLastEventId(req.headers);
      const origin = originOf(req, res);
      const traceparent = readTraceparent(req.headers.traceparent);
      const call: Call = {
        deps,
        principal,
        origin,
        traceparent,
        params,
        url: req.url,
        raw,
        lastEventId,
        isStillAllowed,
        getSignal: () => goneSignal(res),
        onEnd: (listener) => void (res.closed ? listener() : res.once('close', listener)),
        ...checked,
      };
      endPage = principal && (await deps.largePages.take(principal.orgId, checked.query));
      const answer = await handle(call);
      memory.release();
      const told = await passage.end();
      for (const name in told) res.setHeader(name, told[name] ?? '');
      await send(req, res, answer);
    } finally {
      memory.release();
      endPage?.();
    }
  };
}

function originOf(req: Request, { locals: { principal, auditedRequestId } }: Response): AuditOrigin {
  const actorId = principal?.kind === 'user' ? principal.userId : null;
  return { actorId, ip: req.ip ?? null, requestId: auditedRequestId };
}

async function readRaw(
  req: Request,
  { maxBytes, check }: NonNullable<Endpoint['raw']>,
  { memory, patterns, deps }: { memory: BodyMemory; patterns: Record<string, RegExp>; deps: EndpointDeps },
): Promise<RawRequest> {
  const { headers, url } = req;
  const start = url.indexOf('?');
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start));
  check({ headers, query }, readParams(req, patterns), deps);
  return { body: await readBytes(req, maxBytes, memory), headers, query };
}

/** The same as at the beginning, without saying what is wrong. */
async function isAllowed({ auth, right }: Endpoint, deps: EndpointDeps, req: Request): Promise<boolean> {
  if (auth === 'none') return true;
  try {
    const { role } = await deps.credentials.authenticate(req.headers, auth);
    return !right || hasRight(role, right);
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return false;
    throw error;
  }
}

function forbidden({ role }: Principal): AppError {
  return new AppError('forbidden', `The role ${role} does not allow this.`);
}

/** Checks query, header and body together, so that one answer names the faults of all. */
function validator(
  endpoint: Endpoint,
  deps: EndpointDeps,
): (req: Request, body: unknown) => Pick<Call, 'query' | 'body' | 'idempotencyKey'> {
  const readQueryValues = queryRule(endpoint.query ?? Joi.object());
  const readBody = endpoint.body && bodyReader(endpoint.body, deps);
  return (req, json) => {
    const { values, faults } = endpoint.raw ? { values: {}, faults: [] } : readQuery(req.url);
    const query = take(readQueryValues(values), faults);
    const idempotencyKey = endpoint.idempotent && take(readIdempotencyKey(req.headers), faults);
    const body = readBody && take(readBody(json), faults);
    if (faults.length > 0) {
      throw new AppError('validation_failed', 'The request breaks a rule; see details.', { details: faults });
    }
    return { query, body, idempotencyKey };
  };
}

function bodyReader<B>(body: ObjectSchema<B> | CustomBody<B>, deps: EndpointDeps): (json: unknown) => Read<B> {
  const read: Rule<B> = Joi.isSchema(body) ? bodyRule(body) : (value) => body.read(value, deps);
  return (json) =>
    isJsonObject(json) ? read(json) : { faults: [{ path: '', message: 'the body must be a JSON object' }] };
}

/** The value, or undefined with its faults added to the others. */
function take<T>(read: Read<T>, faults: ErrorDetail[]): T | undefined {
  if ('value' in read) return read.value;
  faults.push(...read.faults);
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
