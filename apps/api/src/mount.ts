import { isDeepStrictEqual } from 'node:util';
import { AppError } from '@jobline/contracts';
import { type AuditOrigin, runAs } from '@jobline/db';
import { type FairLimiter, readTraceparent } from '@jobline/runtime';
import type { Express, Request, Response } from 'express';
import { authorize, type Principal, visibilityCheck } from './auth/authorize.js';
import type { BodyBudget } from './budgets/body-budget.js';
import { type LargePages, limitExpensiveWork, limitRequests } from './budgets/expensive-work.js';
import type { ResponseBudget } from './budgets/response-budget.js';
import type { EndpointDeps } from './deps.js';
import type { Call, Endpoint } from './endpoint.js';
import { methodNotAllowed } from './http/errors.js';
import { declaredBytes, readParams, requestReader } from './http/read-request.js';
import { disconnectSignal, send } from './http/send.js';
import { readLastEventId } from './http/validate.js';
import { addressKey } from './rate-limits/client-address.js';
import { limitsOf, rateLimitSessions } from './rate-limits/endpoint-limits.js';

/** How many changes of very many rows may be in progress. */
const MAX_LARGE_CHANGES = 2;

interface MountDeps extends EndpointDeps {
  /** The memory that request bodies may use. */
  bodies: BodyBudget;
  /** The memory that responses may use until their clients have received them. */
  responses: ResponseBudget;
  largePages: LargePages;
}

interface Limiters {
  /** Reads do not wait for the changes of their organization, which may wait for locks. */
  reads: FairLimiter;
  changes: FairLimiter;
  /** As slow as their senders, for which other changes must not wait. */
  uploads: FairLimiter;
  largeChanges: FairLimiter;
}

type Run = (req: Request, res: Response) => Promise<void>;

/**
 * Adds the endpoints to an app, in their order: a path without names must come before one that would match it too. A
 * request whose method the path does not support is rejected before anything else of it is looked at.
 */
export function mount(app: Express, endpoints: readonly Endpoint[], deps: MountDeps): void {
  const [reads, changes, uploads] = [limitRequests(), limitRequests(), limitRequests()];
  const message = 'Your organization changes too many rows at once; try again in a second.';
  const largeChanges = limitExpensiveWork(MAX_LARGE_CHANGES, message);
  for (const [path, methods] of byPath(endpoints)) {
    const runs = new Map(
      [...methods].map(([method, endpoint]) => [
        method,
        runner(endpoint, deps, { reads, changes, uploads, largeChanges }),
      ]),
    );
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
function runner(endpoint: Endpoint, all: MountDeps, { reads, changes, uploads, largeChanges }: Limiters): Run {
  const { path, params: patterns = {}, handle } = endpoint;
  const { limits, settings, bodies, responses, largePages } = all;
  const deps = neededBy(endpoint, all);
  const maxBytes = endpoint.upload?.maxBytes(settings) ?? settings.maxBodyBytes;
  const readRequest = requestReader(endpoint, all, deps);
  const requireVisible = visibilityCheck(path);
  const startSession = rateLimitSessions(limitsOf(endpoint), limits, deps);
  // A connection may carry the requests of many organizations: nothing of an earlier one may be left.
  return (req, res) => runAs(null, () => identify(req, res));

  async function identify(req: Request, res: Response): Promise<void> {
    const rateLimit = startSession(() => req.ip);
    await rateLimit.checkAddress();
    const principal = await authenticate(endpoint, all, req);
    res.locals.principal = principal;
    await (principal
      ? runAs(principal.orgId, () => answer(req, res, rateLimit, principal))
      : answer(req, res, rateLimit));
  }

  async function answer(
    req: Request,
    res: Response,
    rateLimit: ReturnType<typeof startSession>,
    principal?: Principal,
  ): Promise<void> {
    const untilAnswered = createHeld();
    const untilSent = createHeld();
    let turn = (): void => undefined;
    let waitOutside: Call['waitOutside'] = (work) => work();
    try {
      if (principal) authorize(principal, endpoint);
      if (principal) await rateLimit.checkPrincipal(principal, declaredBytes(req.headers, maxBytes));

      const owner = principal?.orgId ?? addressKey(req.ip);
      const memory = bodies.open(owner);
      untilAnswered.add(() => memory.release());
      const onSize = (sizeBytes: number) => principal && rateLimit.checkBody(principal, sizeBytes);
      const content = await readRequest(req, memory, onSize);
      await rateLimit.checkContent({ principal, body: content.body });
      const params = readParams(req, patterns);
      const object = { params, idempotencyKey: content.idempotencyKey };
      const checking = principal && requireVisible(all.db, principal, object);
      if (checking) await checking;

      if (principal) {
        const inProgress = endpoint.upload ? uploads : endpoint.method === 'get' ? reads : changes;
        const { orgId } = principal;
        const take = async () => (turn = await inProgress.take({ owner: orgId }));
        untilAnswered.add(() => turn());
        await take();
        waitOutside = (work) => {
          turn();
          turn = () => undefined;
          return work().finally(take);
        };
        if (req.socket.destroyed) return; // the client closed its connection while the request waited
      }
      // Not before: an organization that waits for its own requests must not hold a turn that others need.
      if (principal && endpoint.method === 'get') untilSent.add(await largePages.take(principal.orgId, content.query));
      if (principal && endpoint.takesTurns) untilAnswered.add(await largeChanges.take({ owner: principal.orgId }));
      const call: Call = {
        deps,
        principal,
        origin: originOf(req, res),
        traceparent: readTraceparent(req.headers.traceparent),
        params,
        url: req.url,
        lastEventId: endpoint.resumable && readLastEventId(req.headers),
        isStillAllowed: () => isAllowed(endpoint, all, req, principal),
        getSignal: () => disconnectSignal(res),
        waitOutside,
        reserve: (jsonBytes) => memory.reserve(jsonBytes),
        onEnd: (listener) => void (res.closed ? listener() : res.once('close', listener)),
        ...content,
      };
      const result = await handle(call);
      untilAnswered.release();
      const headers = await rateLimit.succeed();
      for (const name in headers) res.setHeader(name, headers[name] ?? '');
      await send(req, res, result);
      responses.add(owner, res);
    } finally {
      untilAnswered.release();
      untilSent.release();
    }
  }
}

/** What a request holds of things that others wait for. Released in the reverse order, each once. */
function createHeld() {
  const releases: (() => void)[] = [];
  return {
    add: (release: () => void) => void releases.push(release),
    release() {
      for (let release = releases.pop(); release; release = releases.pop()) release();
    },
  };
}

/** Only the dependencies that the endpoint declares. */
function neededBy({ needs = [] }: Endpoint, all: EndpointDeps): Readonly<Record<string, unknown>> {
  return Object.fromEntries(needs.map((name) => [name, all[name]]));
}

function authenticate({ auth }: Endpoint, { credentials }: EndpointDeps, req: Request): Promise<Principal> | undefined {
  return auth === 'none' ? undefined : credentials.authenticate(req.headers, auth, () => req.ip);
}

function originOf(req: Request, { locals: { principal, auditedRequestId } }: Response): AuditOrigin {
  const actorId = principal?.kind === 'user' ? principal.userId : null;
  return { actorId, ip: req.ip ?? null, requestId: auditedRequestId };
}

/** Repeats the checks of the credentials and of the right, and that the caller may still see the same types. */
async function isAllowed(endpoint: Endpoint, deps: EndpointDeps, req: Request, before?: Principal): Promise<boolean> {
  const { auth } = endpoint;
  if (auth === 'none') return true;
  try {
    const now = await deps.credentials.authenticate(req.headers, auth);
    authorize(now, endpoint);
    return isDeepStrictEqual(now.types, before?.types);
  } catch (error) {
    if (error instanceof AppError && (error.code === 'unauthenticated' || error.code === 'forbidden')) return false;
    throw error;
  }
}
