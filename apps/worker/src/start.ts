import { hostname } from 'node:os';
import { createDb, createHotDb, ping } from '@jobline/db';
import {
  createAmend,
  createCompileSchema,
  createEvents,
  createFindOwnerProblem,
  createLimitStore,
  createProducer,
  createWork,
  type EngineEvents,
  logEvents,
  recordMetrics,
  repeatTasks,
  watchPools,
  watchRedis,
} from '@jobline/engine';
import { type Catalogue, createCatalogue, deliverEvent } from '@jobline/handlers';
import { createSettlePayments, limitSends } from '@jobline/messaging';
import {
  createMetrics,
  every,
  type Logger,
  type Metrics,
  operatorOf,
  type Samples,
  stopAll,
  within,
} from '@jobline/runtime';
import type { Config } from './config.js';
import { publishedSchemas } from './custom-handlers.js';
import { closeAll, setUp } from './handler-hooks.js';
import { serveHealth } from './health.js';
import { openPorts } from './ports.js';
import { takesType } from './queues.js';
import { createRunIsolated } from './run-isolated.js';
import { createSendBudget } from './send-budget.js';

export interface RunningWorker {
  events: EngineEvents;
  /** The port of the health checks. Null if they are not served. */
  healthPort: number | null;
  /**
   * Waits `drainMs` (by default WORKER_DRAIN) for running attempts, or until `hurry` fires, releases the rest and closes everything.
   */
  stop(drainMs?: number, hurry?: AbortSignal): Promise<void>;
}

const FLUSH_LOGS_EVERY_MS = 200;
/** How long to wait for maintenance after running attempts were drained, and then for its connections. */
const MAINTENANCE_MS = 3_000;
/** The pause after a round that has failed. */
const MAINTENANCE_FAILED_MS = 2_000;
const POOL_SIZE = 6;
/** Two batches of claims and two of records at the same time. */
const HOT_POOL_SIZE = 4;
/** How long to wait for a handler that ignores its signal. */
const GRACE_MS = 5_000;

/** Creates a worker and starts it. If Postgres and Redis are not available yet, it waits for them. */
export async function startWorker(
  config: Config,
  log: Logger,
  own: {
    catalogue?: Catalogue;
    graceMs?: number;
    maintenanceMs?: number;
    reconcileEveryMs?: number;
    payloadBytes?: number;
    sourceBytes?: number;
    metrics?: Metrics;
    /** Why this worker can do none of its jobs, if they need a browser. */
    browserProblem?: () => string | null;
  } = {},
): Promise<RunningWorker> {
  const { graceMs = GRACE_MS, maintenanceMs = MAINTENANCE_MS } = own;
  const catalogue: Catalogue = new Map([...(own.catalogue ?? createCatalogue()), [deliverEvent.type, deliverEvent]]);
  const { metrics = createMetrics(), browserProblem = () => null } = own;
  await setUp(catalogue.values());
  const { QUEUE_PREFIX: prefix } = config;
  const events = createEvents();
  logEvents(events, log);
  recordMetrics(events, metrics, (type) => catalogue.has(type));
  const onIdleError = (error: Error) => log.warn('Postgres connection', { error });
  const watchPool = watchPools(metrics);
  const db = createDb({ url: config.DATABASE_URL, poolSize: POOL_SIZE, onIdleError, watchPool: watchPool('main') });
  const hot = createHotDb({
    url: config.DATABASE_URL,
    poolSize: HOT_POOL_SIZE,
    onIdleError,
    watchPool: watchPool('hot'),
  });
  const heartbeatDb = createHotDb({
    url: config.DATABASE_URL,
    poolSize: 1,
    // A heartbeat that takes longer than a lease is too late anyway.
    statementTimeoutMs: config.WORKER_LEASE_MS,
    onIdleError,
    watchPool: watchPool('heartbeat'),
  });
  const producer = createProducer({ redisUrl: config.REDIS_URL, prefix, events });
  watchRedis(metrics, producer);
  const { ports, paymentsProvider, artifacts, close: closePorts } = openPorts(config, log, db, metrics);
  const limitStore = createLimitStore({ redisUrl: config.REDIS_URL, prefix, events });
  const takeSend = createSendBudget(limitStore, config.RATE_LIMIT_JOB_SENDS_PER_MIN);
  const amend = createAmend({ db, events });
  const settlePayments = createSettlePayments({ db, provider: paymentsProvider, amend, log });
  const work = createWork({
    db,
    hot,
    heartbeatDb,
    redisUrl: config.REDIS_URL,
    prefix,
    producer,
    catalogue,
    schemas: publishedSchemas(catalogue, log),
    artifacts,
    portsFor: (orgId) => limitSends(ports, takeSend, orgId),
    runIsolated: createRunIsolated({ graceMs }),
    submissions: {
      allowedTypes: config.ALLOWED_TYPES,
      maxWaiting: config.ORG_MAX_WAITING,
      compileSchema: createCompileSchema(log),
      compose: ports.compose,
    },
    events,
    queues: config.WORKER_QUEUES,
    takes: (type) => takesType(config.WORKER_TYPES, type),
    retry: { baseMs: config.RETRY_BASE_MS, maxMs: config.RETRY_MAX_MS },
    leaseMs: config.WORKER_LEASE_MS,
    noHandlerAfterMs: config.NO_HANDLER_AFTER,
    retentionDays: config.RETENTION_DAYS,
    storesStacks: config.HANDLER_STACKS !== 'off',
    reconcileEveryMs: own.reconcileEveryMs,
    window: config.QUEUE_WINDOW,
    orgMaxRunning: config.ORG_MAX_RUNNING,
    maxStoredBytes: config.MAX_STORED_BYTES_PER_ORG,
    name: `${hostname()}:${process.pid}`,
    version: config.WORKER_VERSION,
    graceMs,
    moreTasks: [{ name: 'payments', round: settlePayments, failedMs: MAINTENANCE_FAILED_MS }],
    ...(own.payloadBytes !== undefined && { payloadBytes: own.payloadBytes }),
    ...(own.sourceBytes !== undefined && { sourceBytes: own.sourceBytes }),
  });

  metrics.gauge('attempts_running', 'Attempts that this worker claims, runs or records now.', work.running);
  metrics.gauges(
    'heartbeat_age_seconds',
    'Time since the last successful heartbeat of this worker. Absent while it is not registered.',
    [],
    () => secondsSince(work.heartbeatAgeMs()),
  );

  let isStopping = false;
  const findOwnerProblem = createFindOwnerProblem({ db, producer, prefix });

  /** Returns why the worker takes no jobs, or the wrong ones, or can do none of them, although it is alive. */
  async function problems(): Promise<string[]> {
    const heartbeatAgeMs = work.heartbeatAgeMs();
    const browser = browserProblem();
    const [postgres, redisMs, owner] = await Promise.all([
      ping(db),
      producer.ping(),
      findOwnerProblem().catch(() => 'the owner of its queues cannot be read'),
    ]);
    return [
      ...(isStopping ? ['it stops and takes no more jobs'] : []),
      ...(heartbeatAgeMs === null || heartbeatAgeMs > config.WORKER_LEASE_MS
        ? ['its heartbeat has not succeeded within a lease']
        : []),
      ...(postgres === null ? [] : ['Postgres does not answer']),
      ...(redisMs === null ? ['Redis does not answer'] : []),
      ...(owner === null ? [] : [owner]),
      ...(browser === null ? [] : [browser]),
    ];
  }

  const { WORKER_PORT: port, WORKER_HOST: host } = config;
  const health =
    port === undefined ? null : await serveHealth({ port, host, problems, metrics, operator: operatorOf(config), log });

  await work.start();
  const maintenance = repeatTasks(work.tasks);
  const subscription = work.subscribe();
  const beatEveryMs = config.WORKER_LEASE_MS / 5;
  const whileRunning = [
    every(beatEveryMs, work.beat),
    every(beatEveryMs, work.checkRuns),
    every(FLUSH_LOGS_EVERY_MS, work.flushLogs),
  ];
  log.info('worker started', {
    queues: Object.fromEntries(config.WORKER_QUEUES),
    types: [...catalogue.keys()].filter((type) => takesType(config.WORKER_TYPES, type)),
  });

  return {
    events,
    healthPort: health?.port ?? null,
    async stop(drainMs = config.WORKER_DRAIN, hurry) {
      isStopping = true;
      // Not awaited yet: their current work may take longer than the time that running attempts get.
      const maintained = maintenance.stop();
      // The heartbeat continues while running attempts are drained: a worker that stops is not dead.
      await work.drain(drainMs, hurry);
      await within(maintenanceMs, maintained, () =>
        log.warn('shutting down before maintenance finished; another worker will continue it'),
      );
      await work.end();
      await closeAll(catalogue.values(), log);
      subscription.close();
      await stopAll(whileRunning);
      await health?.close();
      await producer.close();
      limitStore.close();
      await closePorts();
      // Connections that maintenance still uses are closed with the process.
      await within(maintenanceMs, Promise.all([db.$disconnect(), hot.close(), heartbeatDb.close()]), () => undefined);
    },
  };
}

function secondsSince(ms: number | null): Samples {
  return ms === null ? [] : [{ labels: {}, value: ms / 1_000 }];
}
