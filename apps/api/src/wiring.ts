import type { OrgId } from '@jobline/contracts';
import { createDb, createHotDb, type DbOptions, listLiveTypes } from '@jobline/db';
import {
  createAmend,
  createApiTasks,
  createBacklogLimit,
  createCancel,
  createChange,
  createDelete,
  createEnqueue,
  createEvents,
  createFiles,
  createFindOwnerProblem,
  createFindWaitingFor,
  createPlan,
  createProducer,
  createPublishedTypes,
  createRetry,
  createRoutes,
  createSetLimits,
  createSubmissions,
  createWindow,
  logEvents,
  publishJobEvents,
  recordMetrics,
  SUBMIT_CONNECTIONS,
  showQueues,
  subscribeJobEvents,
  watchBacklog,
  watchPools,
  watchRedis,
} from '@jobline/engine';
import { type ArtifactStore, type Catalogue, QUEUES, type ReadEmailTexts } from '@jobline/handlers';
import {
  createDirectSends,
  createPaymentReports,
  createSystemMails,
  createTakeFeedback,
  type DirectTimes,
} from '@jobline/messaging';
import {
  createInstrumentCall,
  createSandboxReports,
  createTxtLookup,
  emailProviders,
  smsProviders,
} from '@jobline/providers';
import type { Logger, Metrics } from '@jobline/runtime';
import { BULK_SCANS } from './budgets/expensive-work.js';
import type { Config } from './config.js';

/** Limits that tests change. Default: those of production. */
export interface EngineOverrides {
  postgres?: Pick<DbOptions, 'statementTimeoutMs' | 'connectTimeoutMs'>;
  /** How long an add to Redis may take. */
  redis?: { timeoutMs: number };
  /** How long a submission waits for a concurrent duplicate with its Idempotency-Key. */
  duplicates?: { duplicateWaitMs: number };
  /** How often alerts are checked. */
  alerts?: { everyMs: number };
}

const POOL_SIZE = 8;
/**
 * A statement that takes longer is answered as unavailable, before another one has waited too long for its connection. What
 * may take longer has a limit of its own, in a transaction.
 */
const STATEMENT_TIMEOUT_MS = 3_000;
/** Of those, and of submissions of many organizations in one statement. */
const LONG_STATEMENT_MS = 10_000;

/** Creates the API's part of the engine: submission, control and observation of jobs. */
export function wireEngine(
  config: Config,
  deps: { catalogue: Catalogue; artifacts: ArtifactStore | null; log: Logger; metrics: Metrics },
  overrides: EngineOverrides,
) {
  const { catalogue, artifacts, log, metrics } = deps;
  const events = createEvents();
  logEvents(events, log);
  const postgres = {
    url: config.DATABASE_URL,
    onIdleError: (error: Error) => log.warn('idle Postgres connection failed', { error }),
  };
  const watchPool = watchPools(metrics);
  const db = createDb({
    ...postgres,
    poolSize: POOL_SIZE,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    longStatementMs: overrides.postgres?.statementTimeoutMs ?? LONG_STATEMENT_MS,
    watchPool: watchPool('main'),
    ...overrides.postgres,
  });
  const hot = createHotDb({
    ...postgres,
    poolSize: SUBMIT_CONNECTIONS,
    statementTimeoutMs: LONG_STATEMENT_MS,
    watchPool: watchPool('hot'),
    ...overrides.postgres,
  });
  const bulkDb = createDb({
    ...postgres,
    ...overrides.postgres,
    poolSize: BULK_SCANS.connections,
    statementTimeoutMs: BULK_SCANS.statementTimeoutMs,
    watchPool: watchPool('bulk'),
  });
  const redis = { redisUrl: config.REDIS_URL, prefix: config.QUEUE_PREFIX, events };
  const producer = createProducer({ ...redis, ...overrides.redis });
  const { hasHandler, queues: listQueues } = watchBacklog({
    hot,
    events,
    metrics,
    queues: QUEUES,
    leaseMs: config.WORKER_LEASE_MS,
  });
  recordMetrics(events, metrics, (type) => catalogue.has(type) || hasHandler(type));
  watchRedis(metrics, producer);
  publishJobEvents(events, producer);
  const { ORG_MAX_WAITING: maxWaiting, MAX_STORED_BYTES_PER_ORG: maxStoredBytes } = config;
  const published = createPublishedTypes({ db, events, leaseMs: config.WORKER_LEASE_MS });
  const submitDeps = {
    db,
    hot,
    routes: createRoutes({ catalogue, published }),
    ...(maxWaiting !== null && { backlogLimit: createBacklogLimit({ db, maxWaiting }) }),
    producer,
    window: createWindow(QUEUES, producer),
    events,
    enqueue: createEnqueue({ producer, events }),
  };
  const cancel = createCancel({ db, producer, events });
  const planDeps = { ...submitDeps, cancel, maxStoredBytes };
  const plan = createPlan(planDeps);
  return {
    db,
    bulkDb,
    redis,
    published,
    liveTypes: () => listLiveTypes(db, config.WORKER_LEASE_MS),
    submissions: createSubmissions({ ...submitDeps, ...overrides.duplicates }),
    retry: createRetry(submitDeps),
    cancel,
    change: createChange({ db, producer, events }),
    plan,
    tasks: createApiTasks({
      ...planDeps,
      ...redis,
      plan,
      artifacts,
      isAllowedType: (type) => config.ALLOWED_TYPES?.has(type) ?? true,
      publicUrl: config.PUBLIC_URL,
      alerts: overrides.alerts,
    }),
    delete: createDelete({ db, artifacts, events }),
    files: createFiles({ db, artifacts, events }),
    findWaitingFor: createFindWaitingFor({ db, leaseMs: config.WORKER_LEASE_MS }),
    setLimits: createSetLimits({ db, producer }),
    beginErasure: (orgId: OrgId) => void events.emit('erasure.requested', { orgId }),
    amend: createAmend({ db, events }),
    findOwnerProblem: createFindOwnerProblem({ db, producer, prefix: config.QUEUE_PREFIX }),
    subscribeToEvents: (wake: (orgIds: readonly string[]) => void) => subscribeJobEvents(redis, wake),
    showQueues: () => showQueues({ ...redis, listQueues }),
    async close(): Promise<void> {
      await producer.close();
      await Promise.all([db.$disconnect(), bulkDb.$disconnect(), hot.close()]);
    },
  };
}

export type Engine = ReturnType<typeof wireEngine>;

/** Limits that tests change. Default: those of production. */
export interface MessagingOverrides {
  /** The time limits of direct sends. */
  directTimes?: DirectTimes;
  /** The time limits of a DNS lookup. */
  dns?: { timeoutMs: number; tries: number };
}

/** Creates what the API needs to send messages and to receive the callbacks of their providers. */
export function wireMessaging(
  config: Config,
  deps: Pick<Engine, 'db' | 'amend'> & { log: Logger; metrics: Metrics; readEmailTexts: ReadEmailTexts },
  overrides: MessagingOverrides,
) {
  const { db, amend, log, metrics, readEmailTexts } = deps;
  const takeFeedback = createTakeFeedback({ db, log });
  const sandboxReports = createSandboxReports({ take: takeFeedback, log });
  const watched = { log, instrument: createInstrumentCall(metrics), sandboxReports };
  const email = emailProviders.open(config, watched);
  const sms = smsProviders.open(config, watched);
  return {
    defaultSenders: {
      email: { provider: email.provider, from: email.defaultFrom, required: email.defaultFrom === null },
      sms: { provider: sms.provider, from: sms.defaultFrom, required: sms.defaultFrom === null && !sms.choosesSender },
    },
    directSends: createDirectSends({ db, email, sms, readEmailTexts }, overrides.directTimes),
    systemMails: createSystemMails({ email, from: config.EMAIL_SYSTEM_FROM ?? email.defaultFrom, log }),
    takeFeedback,
    sandboxReports,
    takePaymentReports: createPaymentReports({ db, amend, log }),
    lookUpTxt: createTxtLookup({ servers: config.DNS_SERVERS, ...overrides.dns }),
  };
}
