import { chromiumProblem } from '@jobline/providers';
import type { Logger } from '@jobline/runtime';
import { type Config, chosenChromium } from './config.js';

/**
 * Logs a warning if this worker takes jobs that need a browser and the browser cannot be started. Nothing waits for
 * the check.
 */
export async function checkBrowser(config: Config, log: Logger): Promise<void> {
  if (!config.WORKER_QUEUES.has('browser')) return;
  try {
    const problem = await chromiumProblem(chosenChromium(config));
    if (problem) log.warn(problem);
  } catch (error) {
    log.warn('could not detect a browser', { error });
  }
}
