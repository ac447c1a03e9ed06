import { chromiumProblem } from '@jobline/providers';
import type { Logger } from '@jobline/runtime';
import { type Config, chosenChromium } from './config.js';

/** Tells the log if this worker takes jobs that need a browser, and it cannot be started. Nobody waits for that. */
export async function checkBrowser(config: Config, log: Logger): Promise<void> {
  if (!config.WORKER_QUEUES.has('browser')) return;
  try {
    const fault = await chromiumProblem(chosenChromium(config));
    if (fault) log.warn(fault);
  } catch (error) {
    log.warn('whether there is a browser could not be found out', { error });
  }
}
