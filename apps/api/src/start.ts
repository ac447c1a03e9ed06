import { randomBytes } from 'node:crypto';
import { createDb, createHotDb, findStoredBytes } from '@jobline/db';
import {
  createAmend,
  createCancel,
  createEnqueue,
  createEvents,
  createFindOwnerFault,
  createLimitStore,
  createProducer,
  createRetry,
  createRoutes,
  createSubmit,
  createSubmitBatch,
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
import { createCatalogue, QUEUES } from '@jobline/handlers';
import { createDirectSends, createPaymentReports, createSystemMails, createTakeFeedback } from '@jobline/messaging';
import {
  artifactStores,
  createLiquid,
  createTxtLookup,
  createWatchCall,
  emailProviders,
  smsProviders,
} from '@jobline/providers';
import {
  createMetrics,
  createSecretCipher,
  type Logger,
  listen,
  type Metrics,
  noTracing,
  operatorOf,
  type Tracing,
} from '@jobline/runtime';
import { createApp } from './app.js';
import { createBackground } from './background.js';
import type { Config } from './config.js';
import type { AppSettings } from './deps.js';
import { createCloseServer } from './http/close-server.js';
import { CLIENT_LIMITS, createHttpServer } from './http/server.js';
import { createLimits } from './limits/limits.js';
import { type BuiltFiles, DASHBOARD_DIR, readBuilt } from './pages/built.js';
import { createStreams } from './streams/streams.js';

export interface RunningApi {
  /** The one it listens on: not what was asked for if that was 0. */
  port: number;
  /** Answers what it has taken, refuses what comes new, and lets go of everything. */
  stop(): Promise<void>;
}

/** What operators watch the process by. */
export interface Watched {
  metrics: Metrics;
  tracing: Tracing;
  /** How long requests under way are waited for when the process stops. */
  finishWithinMs: number;
}

const POOL_SIZE = 8;
/** A caller waits for it; whatever takes longer is answered as unavailable. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** Of a template: whoever submits waits for it. */
const RENDER_LIMIT_MS = 100;
const FINISH_WITHIN_MS = 10_000;

/** Puts the API together and listens. It needs neither Postgres nor Redis to start; until Postgres answers it is not ready. */
export async function startApi(config: Config, log: Logger, own: Partial<Watched> = {}): Promise<RunningApi> {
  const { metrics = createMetrics(), tracing = noTracing, finishWithinMs = FINISH_WITHIN_MS } = own;
  const events = createEvents();
  logEvents(events, log);
  const catalogue = createCatalogue();
  const postgres = {
    url: config.DATABASE_URL,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onIdleError: (error: Error) => log.warn('Postgres connection', { error }),
  };
  const watchPool = watchPools(metrics);
  const db = createDb({ ...postgres, poolSize: POOL_SIZE, watchPool: watchPool('main') });
  const hot = createHotDb({ ...postgres, poolSize: SUBMIT_CONNECTIONS, watchPool: watchPool('hot') });
  const prefix = config.QUEUE_PREFIX;
  const producer = createProducer({ redisUrl: config.REDIS_URL, prefix, queues: QUEUES, events });
  const leaseMs = config.WORKER_LEASE_MS;
  const { hasHandler } = watchBacklog({ hot, events, metrics, queues: QUEUES, leaseMs });
  recordMetrics(events, metrics, (type) => catalogue.has(type) || hasHandler(type));
  watchRedis(metrics, producer);
  const watched = { log, watch: createWatchCall(metrics, tracing) };
  const window = createWindow(QUEUES, producer);
  const enqueue = createEnqueue({ producer, events });
  const submitDeps = {
    db,
    hot,
    routes: createRoutes({ db, catalogue, events }),
    producer,
    window,
    events,
    enqueue,
    tracing,
  };
  const submit = createSubmit(submitDeps);
  const submitBatch = createSubmitBatch(submitDeps);
  const retry = createRetry(submitDeps);
  const cancel = createCancel({ db, producer, events });
  publishJobEvents(events, producer);
  const heard = { redisUrl: config.REDIS_URL, prefix, events };
  const streams = createStreams((wake) => subscribeJobEvents(heard, wake));
  const settings = settingsOf(config);
  const limits = createLimits({
    store: createLimitStore(heard),
    settings: {
      submitPerS: config.RATE_LIMIT_SUBMIT_PER_S,
      submitBytesPerS: config.RATE_LIMIT_SUBMIT_BYTES_PER_S,
      sendPerMin: config.RATE_LIMIT_SEND_PER_MIN,
      controlPerMin: config.RATE_LIMIT_CONTROL_PER_MIN,
      readPerMin: config.RATE_LIMIT_READ_PER_MIN,
      loginPerMin: config.RATE_LIMIT_LOGIN_PER_MIN,
      credentialsPerMin: config.RATE_LIMIT_CREDENTIALS_PER_MIN,
      maxStoredBytes: config.MAX_STORED_BYTES_PER_ORG,
    },
    storedBytesOf: (orgId) => findStoredBytes(db, orgId),
    secret: settings.jwtSecret,
  });
  const shownQueues = settings.operator && showQueues({ ...heard, queues: QUEUES });
  metrics.gauge('event_streams', 'Event streams that are open.', streams.size);
  const email = emailProviders.open(config, watched);
  const background = createBackground();
  const systemMails = createSystemMails({ email, from: config.EMAIL_SYSTEM_FROM ?? email.defaultFrom, log });
  const artifacts = artifactStores.open(config, { log });
  const liquid = createLiquid({ renderLimitMs: RENDER_LIMIT_MS });
  const server = createHttpServer(
    createApp({
      db,
      submit,
      submitBatch,
      retry,
      cancel,
      catalogue,
      cipher: createSecretCipher(config.ENCRYPTION_KEY),
      artifacts,
      liquid,
      lookUpTxt: createTxtLookup({ servers: config.DNS_SERVERS }),
      directSends: createDirectSends({
        db,
        email,
        sms: smsProviders.open(config, watched),
      }),
      systemMails,
      limits,
      background,
      takeFeedback: createTakeFeedback({ db, log }),
      takePaymentReports: createPaymentReports({ db, amend: createAmend({ db, events }), log }),
      log,
      findOwnerFault: createFindOwnerFault({ db, producer, prefix }),
      streams,
      pages: pagesOf(log),
      shownQueues,
      settings,
      metrics,
      tracing,
    }),
    { ...CLIENT_LIMITS, connectionsPerAddress: connectionsPerAddress(config) },
  );
  const closeServer = createCloseServer(server);

  async function release(): Promise<void> {
    streams.end();
    shownQueues?.close();
    await systemMails.close();
    await background.settled();
    limits.close();
    await producer.close();
    await liquid.close();
    artifacts?.close();
    await Promise.all([db.$disconnect(), hot.close()]);
  }

  try {
    const port = await listen(server, { host: config.HOST, port: config.PORT, setting: 'PORT' });
    log.info('listening', { host: config.HOST, port });
    return {
      port,
      async stop() {
        // First, because they would never end by themselves.
        streams.end();
        await closeServer(finishWithinMs);
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Behind a proxy, all connections come from its address. */
function connectionsPerAddress({ CONNECTIONS_PER_ADDRESS, TRUST_PROXY }: Config): number {
  if (CONNECTIONS_PER_ADDRESS !== undefined) return CONNECTIONS_PER_ADDRESS;
  return TRUST_PROXY === false ? CLIENT_LIMITS.connectionsPerAddress : CLIENT_LIMITS.connections;
}

function settingsOf(config: Config): AppSettings {
  return {
    jwtSecret: config.JWT_SECRET ?? randomBytes(32).toString('base64'),
    jwtTtlMs: config.JWT_TTL,
    passwordCost: config.BCRYPT_COST,
    maxBodyBytes: config.MAX_BODY_BYTES,
    registration: config.REGISTRATION,
    senderIds: config.SENDER_IDS,
    allowedTypes: config.ALLOWED_TYPES,
    trustProxy: config.TRUST_PROXY,
    corsOrigins: config.CORS_ORIGINS,
    callbacks: config,
    publicUrl: config.PUBLIC_URL,
    operator: operatorOf(config),
  };
}

function pagesOf(log: Logger): BuiltFiles | null {
  const pages = readBuilt(DASHBOARD_DIR);
  if (!pages) log.warn('the dashboard is not built, so its pages are not served: run `npm run build`');
  return pages;
}
