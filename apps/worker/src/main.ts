import { checkStart } from '@jobline/engine';
import {
  ConfigError,
  createLogger,
  createMetrics,
  createSecretCipher,
  isProduction,
  limitHeapGrowth,
  PortTaken,
  readConfig,
  startTracing,
  startWatchdog,
  stopOnSignal,
} from '@jobline/runtime';
import { configSchema, relaxedRules } from './config.js';
import { loadCatalogue } from './custom-handlers.js';
import { createBrowserCheck } from './health.js';
import { queuesOf, takesType, unmatchedTypes, unusedQueues } from './queues.js';
import { startWorker } from './start.js';

/** How long releasing what still runs, `close` of the handlers (10 s) and closing the rest may take, after WORKER_DRAIN. */
const CLOSE_LIMIT_MS = 25_000;

try {
  limitHeapGrowth();
  const settings = readConfig(configSchema, process.env);
  const log = createLogger({ level: settings.LOG_LEVEL, app: 'worker' });
  const metrics = createMetrics();
  metrics.watchProcess();
  const stopTracing = await startTracing({ endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT, app: 'worker', log });
  const catalogue = await loadCatalogue(settings.HANDLERS_DIR, log);
  const config = { ...settings, WORKER_QUEUES: queuesOf(settings, catalogue) };
  const browser = createBrowserCheck(config, log);
  const worker = await startWorker(config, log, { catalogue, metrics, browserProblem: browser.problem });
  // Not earlier: during its start the worker has no jobs yet, and on a busy machine loading its modules may take
  // longer than a short lease.
  startWatchdog({ app: 'worker', limitMs: config.WORKER_LEASE_MS });
  for (const rule of relaxedRules(config)) log.warn(rule);
  const checks = checkStart({
    databaseUrl: config.DATABASE_URL,
    redisUrl: config.REDIS_URL,
    prefix: config.QUEUE_PREFIX,
    log,
    isProduction: isProduction(config.NODE_ENV),
    cipher: createSecretCipher(config.ENCRYPTION_KEY),
  });
  void browser.run();
  for (const pattern of unmatchedTypes(config.WORKER_TYPES, catalogue))
    log.warn('WORKER_TYPES names no job type of this worker: correct the name, or remove it', { pattern });
  for (const queue of unusedQueues(settings, catalogue))
    log.warn('WORKER_QUEUES names a queue of no job type of this worker: correct the name, or remove it', { queue });
  const unserved = [...catalogue.values()].filter(
    ({ type, queue }) => takesType(config.WORKER_TYPES, type) && !config.WORKER_QUEUES.has(queue),
  );
  if (unserved.length > 0)
    log.info('this worker does not consume the queues of these job types', { types: unserved.map(({ type }) => type) });
  const hurry = new AbortController();
  stopOnSignal(
    async (reason) => {
      log.info('stopping; a second signal releases the running attempts at once', {
        reason,
        drainMs: config.WORKER_DRAIN,
      });
      await Promise.all([worker.stop(config.WORKER_DRAIN, hurry.signal), checks.stop()]);
      await stopTracing();
    },
    config.WORKER_DRAIN + CLOSE_LIMIT_MS,
    (error) => log.error('shutdown failed', { error }),
    { stop: () => hurry.abort(), limitMs: CLOSE_LIMIT_MS },
  );
} catch (error) {
  console.error(error instanceof ConfigError || error instanceof PortTaken ? error.message : error);
  // Exit immediately: a handler file may have started something while it was loaded, which would keep the process
  // alive.
  process.exit(1);
}
