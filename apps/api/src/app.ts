import {
  countDeliveries,
  countJobs,
  type Db,
  type DbSession,
  type FailureRange,
  listFailureGroups,
  readJobTimes,
  withTimeLimit,
} from '@jobline/db';
import { type Liquid, RetryLater } from '@jobline/handlers';
import { createCompose, createLookups, memoizeLookups } from '@jobline/messaging';
import express, { type Express, type RequestHandler } from 'express';
import { mountBoard } from './admin/board.js';
import { mountMetrics } from './admin/metrics.js';
import { mountSenderIds } from './admin/sender-ids.js';
import { createCredentials } from './auth/authenticate.js';
import { createLinkTokens } from './auth/link-token.js';
import { createOperatorAuth } from './auth/operator-auth.js';
import { createPasswords } from './auth/password.js';
import { createTokens } from './auth/token.js';
import { BODY_BUDGET, createBodyBudget } from './budgets/body-budget.js';
import { BULK_SCANS, createLargePages, limitExpensiveWork } from './budgets/expensive-work.js';
import { createResponseBudget } from './budgets/response-budget.js';
import type { AppDeps, EndpointDeps } from './deps.js';
import { createReadiness } from './endpoints/health.js';
import { endpoints } from './endpoints/index.js';
import { createCountLimiter, createJobStats, stepsOf } from './endpoints/stats-cache.js';
import { answerErrors, unknownPath } from './http/answer-errors.js';
import { cors } from './http/cors.js';
import { requestId, requestLog, requestMetrics, requestSpan } from './http/observe.js';
import { securityHeaders } from './http/security-headers.js';
import { mount } from './mount.js';
import { createDocument } from './openapi/document.js';
import { mountHelp, mountPages, mountSharedPages } from './pages/pages.js';
import { mountReference } from './pages/reference.js';
import { tooBusy } from './rate-limits/rate-limit-state.js';
import { createUntilEnded } from './streams/job-ends.js';
import { createOrgEvents } from './streams/org-events.js';

const MAX_FAILURE_GROUPS = 100;
/** Few are kept: callers choose times and messages, so that there is no end of different results. */
const MAX_FAILURE_RESULTS = 100;
/** Templates that the checks of one request read, and the length in characters of all texts that they fill. */
const MAX_TEMPLATES = 50;
const MAX_FILLED_LENGTH = 8 * 1024 ** 2;
/** Expensive batches at once. The templates of all take turns anyway. */
const MAX_EXPENSIVE_BATCHES = 4;
const MAX_SEARCHES = 2;
/** Statistics take turns, so they may take longer than other statements. */
const COUNT_LIMIT_MS = 10_000;

/** The complete HTTP API as an Express app. It opens no port and no connection: its caller does. */
export function createApp(deps: AppDeps): Express {
  const { db, log, metrics, settings } = deps;
  const operatorAuth = createOperatorAuth(settings.operator);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', settings.trustProxy);

  app.use(
    combine([
      requestId,
      requestLog(log),
      requestMetrics(metrics),
      requestSpan(settings.traceSampling),
      securityHeaders({ isHttps: settings.publicUrl.startsWith('https:') }),
      cors(settings.corsOrigins),
    ]),
  );
  mountSharedPages(app, deps.pages);
  const responses = createResponseBudget((settings.bodyBudget ?? BODY_BUDGET).maxBytes / 2);
  mount(app, Object.values(endpoints), {
    ...endpointDeps(deps),
    bodies: createBodyBudget(settings.bodyBudget),
    responses,
    largePages: createLargePages(),
  });
  mountPages(app, deps.pages);
  mountHelp(app);
  mountMetrics(app, operatorAuth, metrics);
  mountReference(app);
  // Before the board, which allows only reads below /admin.
  mountSenderIds(app, { db, operatorAuth, settings });
  mountBoard(app, operatorAuth, deps.shownQueues);
  app.use(unknownPath);
  app.use(answerErrors(responses));
  return app;
}

function endpointDeps(deps: AppDeps): EndpointDeps {
  const { db, log, settings } = deps;
  const tokens = createTokens({ secret: settings.jwtSecret, ttlMs: settings.jwtTtlMs });
  const credentials = createCredentials({
    db,
    tokens,
    log,
    limits: deps.limits.credentials,
    background: deps.background,
  });
  const liquid = rateLimitedLiquid(deps.liquid);
  const limiter = createCountLimiter();
  const counting = <T>(count: (session: DbSession) => Promise<T>) => withTimeLimit(db, COUNT_LIMIT_MS, count);
  let document: ReturnType<EndpointDeps['document']> | undefined;
  return {
    ...deps,
    tokens,
    linkTokens: createLinkTokens(settings.jwtSecret),
    credentials,
    passwords: createPasswords({ cost: settings.passwordCost }),
    jobStats: createJobStats(
      (orgId, window, types) =>
        counting(async (session) => {
          const options = { ...stepsOf(window), types };
          return { ...(await countJobs(session, orgId, options)), ...(await readJobTimes(session, orgId, options)) };
        }),
      { limiter },
    ),
    // Who repairs failures wants to see at once what is left.
    failureStats: createJobStats(
      (orgId, range: FailureRange, types) =>
        counting((session) => listFailureGroups(session, orgId, range, { limit: MAX_FAILURE_GROUPS, types })),
      { limiter, minRestMs: 0, restFactor: 1, maxAgeMs: 0, maxEntries: MAX_FAILURE_RESULTS },
    ),
    webhookStats: createJobStats(
      (orgId, window) => counting((session) => countDeliveries(session, orgId, stepsOf(window))),
      { limiter },
    ),
    bulkScans: limitExpensiveWork(
      BULK_SCANS.connections,
      'Your organization starts or counts too many bulk actions at once; try again in a second.',
    ),
    searches: limitExpensiveWork(MAX_SEARCHES, 'Your organization searches too often at once; try again in a second.'),
    readiness: createReadiness(db, deps.findOwnerProblem),
    document() {
      // Made for the first request that reads it: it takes longer than everything else here.
      if (document) return document;
      const body = createDocument(endpoints, { catalogue: deps.catalogue, publicUrl: settings.publicUrl });
      document = { body, text: JSON.stringify(body) };
      return document;
    },
    orgEvents: createOrgEvents(deps),
    untilEnded: createUntilEnded(deps),
    compose: () => createRequestCompose(db, liquid),
    expensiveBatches: limitExpensiveWork(
      MAX_EXPENSIVE_BATCHES,
      'Your organization submits too many large batches at once; try again in a second.',
    ),
    liquid,
  };
}

/** Makes messages of drafts for one request. */
function createRequestCompose(db: Db, liquid: Liquid): ReturnType<EndpointDeps['compose']> {
  let [templates, filledLength] = [0, 0];
  const lookups = createLookups(db);
  const counting = memoizeLookups({
    ...lookups,
    findTemplate(...of) {
      templates++;
      return lookups.findTemplate(...of);
    },
  });
  const fill: Liquid['fill'] = (orgId, source, ...rest) => {
    filledLength += source.length;
    return liquid.fill(orgId, source, ...rest);
  };
  return {
    ...createCompose({ lookups: counting, liquid: { ...liquid, fill } }),
    hasFilledMany: () => templates >= MAX_TEMPLATES || filledLength >= MAX_FILLED_LENGTH,
  };
}

/** The same renderer, but with `rate_limited` as the error when too many templates are waiting. */
function rateLimitedLiquid(liquid: Liquid): Liquid {
  return {
    fill: (...args) => liquid.fill(...args).catch(rethrowRetryLater),
    variables: (...args) => liquid.variables(...args).catch(rethrowRetryLater),
  };
}

function rethrowRetryLater(error: unknown): never {
  if (!(error instanceof RetryLater)) throw error;
  throw tooBusy('Too many templates are waiting to be rendered.', Math.ceil(error.delayMs / 1_000), error);
}

/**
 * Combines middleware into one layer of the router, which runs it in this order. A layer costs every request as much as
 * several of these functions do.
 */
function combine(handlers: readonly RequestHandler[]): RequestHandler {
  return (req, res, next) => {
    const run = (n: number): unknown => {
      const handler = handlers[n];
      return handler ? handler(req, res, (error?: unknown) => (error ? next(error) : run(n + 1))) : next();
    };
    run(0);
  };
}
