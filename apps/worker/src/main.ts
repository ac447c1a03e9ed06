import { ConfigError, createLogger, readConfig, stopOnSignal } from '@jobline/runtime';
import { configSchema } from './config.js';
import { startWorker } from './start.js';

/** What runs gets 30 s, closing a few more. */
const STOP_LIMIT_MS = 45_000;

try {
  const config = readConfig(configSchema, process.env);
  const log = createLogger({ level: config.LOG_LEVEL, app: 'worker' });
  const worker = await startWorker(config, log);
  stopOnSignal(
    async (reason) => {
      log.info('stopping', { reason });
      await worker.stop();
    },
    STOP_LIMIT_MS,
    (error) => log.error('stopped badly', { error }),
  );
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
