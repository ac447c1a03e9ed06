import { createDb } from '@jobline/db';
import { deliverEvent, type Handler } from '@jobline/handlers';
import { createLogger, createMetrics, readConfig, silentLogger, startTracing, startWatchdog } from '@jobline/runtime';
import { configSchema } from './config.js';
import { loadCatalogue } from './custom-handlers.js';
import { closeAll, setUp } from './handler-hooks.js';
import { createIsolatedRunner, type FromIsolated } from './isolated-runner.js';
import { openPorts } from './ports.js';

/**
 * The isolated process, which runs one job of a worker in case the job crashes its process. It has the environment and
 * the handlers of the worker, takes messages only from the worker, and ends when the worker disconnects or has ended.
 */
const config = readConfig(configSchema, process.env);
const log = createLogger({ level: config.LOG_LEVEL, app: 'worker' });
/** Half of the memory limit of the container, if it has one: more could crash the worker in the same container. */
const MAX_MEMORY_BYTES = Math.min(2 * 1024 ** 3, (process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2);

// A signal to stop the worker may reach its whole process group. The worker alone decides what happens to the job.
process.on('SIGTERM', () => undefined);
process.on('SIGINT', () => undefined);
startWatchdog({ app: 'worker', limitMs: config.WORKER_LEASE_MS, maxMemoryBytes: MAX_MEMORY_BYTES });

const db = createDb({
  url: config.DATABASE_URL,
  poolSize: 2,
  onIdleError: (error) => log.warn('Postgres connection', { error }),
});
const stopTracing = await startTracing({ endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, app: 'worker', log });
// The metrics of this process are not served: the worker counts the attempt.
const { ports, close } = openPorts(config, log, db, createMetrics());
/** The handler of its job, whose type is the argument, once it is set up. */
let handlers: readonly Handler[] = [];
process.once('disconnect', async () => {
  await closeAll(handlers, log);
  await close();
  await stopTracing();
  await db.$disconnect();
  process.exit(0);
});

const send = (message: FromIsolated) => process.send?.(message);
const catalogue = new Map([
  ...(await loadCatalogue(config.HANDLERS_DIR, silentLogger)),
  [deliverEvent.type, deliverEvent],
]);
const own = [...catalogue.values()].filter(({ type }) => type === process.argv[2]);
await setUp(own);
handlers = own;
const onMessage = createIsolatedRunner({ catalogue, ports, send });
process.on('message', onMessage);
send({ kind: 'ready' });
