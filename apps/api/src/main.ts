import { resealSecrets } from '@jobline/db';
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
import { configSchema } from './config.js';
import { relaxedRules } from './relaxed-rules.js';
import { startApi } from './start.js';

const STOP_LIMIT_MS = 20_000;
/** No request may block the event loop for a tenth of this time. If one does, a restart serves the others sooner. */
const BLOCKED_LIMIT_MS = 5_000;

try {
  limitHeapGrowth();
  const config = readConfig(configSchema, process.env);
  const log = createLogger({ level: config.LOG_LEVEL, app: 'api' });
  const metrics = createMetrics();
  metrics.watchProcess();
  const stopTracing = await startTracing({ endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, app: 'api', log });
  const api = await startApi(config, log, { metrics });
  startWatchdog({ app: 'api', limitMs: BLOCKED_LIMIT_MS });
  for (const rule of relaxedRules(config)) log.warn(rule);
  const cipher = createSecretCipher(config.ENCRYPTION_KEY);
  const checks = checkStart({
    databaseUrl: config.DATABASE_URL,
    redisUrl: config.REDIS_URL,
    prefix: config.QUEUE_PREFIX,
    log,
    isProduction: isProduction(config.NODE_ENV),
    cipher,
    // The API does this because it is started last: the workers have the new key by then.
    async onceReady(db) {
      const count = await resealSecrets(db, cipher);
      if (count > 0) log.info('secrets are now encrypted with the current key', { count });
    },
  });
  stopOnSignal(
    async (reason) => {
      log.info('stopping', { reason });
      await Promise.all([api.stop(), checks.stop()]);
      await stopTracing();
    },
    STOP_LIMIT_MS,
    (error) => log.error('shutdown failed', { error }),
  );
} catch (error) {
  console.error(error instanceof ConfigError || error instanceof PortTaken ? error.message : error);
  process.exitCode = 1;
}
