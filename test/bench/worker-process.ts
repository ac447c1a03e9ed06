// The product's worker with the no-op type in its catalogue, put together as its main.ts does.
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { createLogger, stopOnSignal } from '@jobline/runtime';
import { startWorker } from '@jobline/worker/start';
import type { Payload } from './payload.js';
import { BENCH_TYPE, createRecorder } from './recorder.js';

const record = createRecorder();
const noop = defineHandler<Payload>({ type: BENCH_TYPE, run: async (payload) => record(payload) });
const { DATABASE_URL = '', REDIS_URL = '' } = process.env;
const log = createLogger({ level: 'info', app: 'worker' });
const worker = await startWorker(
  {
    DATABASE_URL,
    REDIS_URL,
    LOG_LEVEL: 'info',
    WORKER_QUEUES: new Map([
      ['io', 200],
      ['cpu', 2],
      ['browser', 2],
    ]),
    QUEUE_WINDOW: null,
    WORKER_LEASE_MS: 15_000,
    RETRY_BASE_MS: 1_000,
    RETRY_MAX_MS: 3_600_000,
    OUTBOUND_ALLOW_HOSTS: [],
    HANDLERS_DIR: [],
  },
  log,
  { catalogue: createCatalogue([noop]) },
);
stopOnSignal(
  () => worker.stop(),
  45_000,
  (error) => log.error('stopped badly', { error }),
);
