import { countJobs } from '@jobline/db';
import { createCompose, lookedUpOnce, lookupsIn } from '@jobline/messaging';
import express, { type Express } from 'express';
import './middleware/locals.js';
import { mountBoard } from './admin/board.js';
import { mountMetrics } from './admin/metrics.js';
import { mountSenderIds } from './admin/sender-ids.js';
import { createCredentials } from './auth/authenticate.js';
import { createOperators } from './auth/operator-auth.js';
import { createPasswords } from './auth/password.js';
import { createTokens } from './auth/token.js';
import type { AppDeps } from './deps.js';
import { mountReference } from './docs/reference.js';
import { createReadiness } from './endpoints/health/readiness.js';
import { endpoints } from './endpoints/index.js';
import { createBodyBudget } from './http/body-budget.js';
import { createLargePages } from './http/large-pages.js';
import { createJobStats } from './endpoints/stats/job-stats.js';
import { orTooBusy } from './limits/busy-liquid.js';
import { cors } from './middleware/cors.js';
import { answerErrors, unknownPath } from './middleware/errors.js';
import { requestFigures } from './middleware/request-metrics.js';
import { requestId } from './middleware/request-id.js';
import { requestLog } from './middleware/request-log.js';
import { requestSpan } from './middleware/request-span.js';
import { securityHeaders } from './middleware/security-headers.js';
import { mount } from './mount.js';
import { createDocument } from './openapi/document.js';
import { mountPages } from './pages/pages.js';
import { createOrgEvents } from './streams/org-events.js';

export type { AppDeps, AppSettings } from './deps.js';

/** The whole HTTP API. Listens to nothing and opens nothing: its caller does. */
export function createApp(deps: AppDeps): Express {
  const { db, log, settings } = deps;
  const tokens = createTokens({ secret: settings.jwtSecret, ttlMs: settings.jwtTtlMs });
  const passwords = createPasswords({ cost: settings.passwordCost });
  const credentials = createCredentials({
    db,
    tokens,
    log,
    limits: deps.limits.credentials,
    background: deps.background,
  });
  const operators = createOperators(settings.operator);
  const jobStats = createJobStats((orgId, options) => countJobs(db, orgId, options));
  // Made for the first who reads it: it takes longer than all else here.
  const document = once(() => createDocument(endpoints, { catalogue: deps.catalogue, publicUrl: settings.publicUrl }));
  const orgEvents = createOrgEvents(deps);
  const liquid = orTooBusy(deps.liquid);
  const compose = () => createCompose({ lookups: lookedUpOnce(lookupsIn(db)), liquid });

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', settings.trustProxy);

  app.use(requestId);
  app.use(requestLog(log));
  if (deps.metrics) app.use(requestFigures(deps.metrics));
  if (deps.tracing?.isOn) app.use(requestSpan(deps.tracing));
  app.use(securityHeaders({ isHttps: settings.publicUrl.startsWith('https:') }));
  app.use(cors(settings.corsOrigins));
  const bodies = createBodyBudget(settings.bodyBudget);
  const own = {
    bodies,
    largePages: createLargePages(),
    tokens,
    passwords,
    operators,
    credentials,
    jobStats,
    readiness: createReadiness(db, deps.findOwnerFault),
    document,
    orgEvents,
    compose,
    liquid,
  };
  mount(app, Object.values(endpoints), { ...deps, ...own });
  mountPages(app, deps.pages);
  mountMetrics(app, operators, deps.metrics);
  mountReference(app);
  // Before the board, which lets nobody write below /admin.
  mountSenderIds(app, { db, operators, settings });
  mountBoard(app, operators, deps.shownQueues);
  app.use(unknownPath);
  app.use(answerErrors);
  return app;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
