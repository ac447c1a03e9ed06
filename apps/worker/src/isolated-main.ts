import { createDb } from '@jobline/db';
import { createLogger, createMetrics, createTracing, readConfig, startWatchdog } from '@jobline/runtime';
import { configSchema } from './config.js';
import type { FromIsolated } from './isolated-protocol.js';
import { runFor } from './isolated-runner.js';
import { loadCatalogue } from './load-handlers.js';
import { openPorts } from './ports.js';

/**
 * The process that runs one job of a worker alone, in case it ends it. It has the worker's environment and handlers,
 * takes its orders from the worker alone, and ends when that lets go of it or is gone.
 */
const config = readConfig(configSchema, process.env);
const log = createLogger({ level: config.LOG_LEVEL, app: 'worker' });
/** Half of what its container may use, where that is limited: more would end the worker beside it. */
const MAX_MEMORY_BYTES = Math.min(2 * 1024 ** 3, (process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2);

// Who stops the worker may signal its whole group, and the worker decides what becomes of the job.
process.on('SIGTERM', () => undefined);
process.on('SIGINT', () => undefined);
startWatchdog({ app: 'worker', limitMs: config.WORKER_LEASE_MS, maxMemoryBytes: MAX_MEMORY_BYTES });

const db = createDb({
  url: config.DATABASE_URL,
  poolSize: 2,
  onIdleError: (error) => log.warn('Postgres connection', { error }),
});
const tracing = await createTracing({ endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, app: 'worker', log });
// Its figures die with it: the attempt is counted by the worker.
const { ports, close } = openPorts(config, log, db, { metrics: createMetrics(), tracing });
process.once('disconnect', async () => {
  await close();
  await tracing.stop();
  await db.$disconnect();
  process.exit(0);
});

const say = (message: FromIsolated) => process.send?.(message);
const hear = runFor({ catalogue: await loadCatalogue(config.HANDLERS_DIR), ports, tracing, say });
process.on('message', hear);
say({ kind: 'ready' });
