import { chromiumFault } from '@jobline/providers';
import type { Logger } from '@jobline/runtime';
import type { Config } from './config.js';

/** Tells the log if this worker takes jobs that need a browser, and there is none. Nobody waits for that. */
export async function checkBrowser(config: Config, log: Logger): Promise<void> {
  if (!config.WORKER_QUEUES.has('browser')) return;
  try {
    const fault = await chromiumFault(config.PUPPETEER_EXECUTABLE_PATH);
    if (fault) log.warn(fault);
  } catch (error) {
    log.warn('whether there is a browser could not be found out', { error });
  }
}
