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
import { startWorker } from './start.js';

/** Running attempts get 30 s; closing takes a few more. */
const STOP_LIMIT_MS = 45_000;

try {
  limitHeapGrowth();
  const config = readConfig(configSchema, process.env);
  const log = createLogger({ level: config.LOG_LEVEL, app: 'worker' });
  const metrics = createMetrics();
  metrics.watchProcess();
  const stopTracing = await startTracing({ endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, app: 'worker', log });
  const catalogue = await loadCatalogue(config.HANDLERS_DIR);
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
  const unserved = [...catalogue.values()].filter(({ queue }) => !config.WORKER_QUEUES.has(queue));
  if (unserved.length > 0)
    log.info('this worker does not consume the queues of these job types', { types: unserved.map(({ type }) => type) });
  stopOnSignal(
    async (reason) => {
      log.info('stopping', { reason });
      await Promise.all([worker.stop(), checks.stop()]);
      await stopTracing();
    },
    STOP_LIMIT_MS,
    (error) => log.error('shutdown failed', { error }),
  );
} catch (error) {
  console.error(error instanceof ConfigError || error instanceof PortTaken ? error.message : error);
  // Exit immediately: a handler file may have started something while it was loaded, which would keep the process
  // alive.
  process.exit(1);
}
