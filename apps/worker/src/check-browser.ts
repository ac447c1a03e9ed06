import { chromiumProblem } from '@jobline/providers';
import type { Logger } from '@jobline/runtime';
import { type Config, chosenChromium } from './config.js';

export interface BrowserCheck {
  /**
   * Starts the browser, if this worker takes jobs that need one. Logs a warning if this fails, and tries again every
   * minute until it succeeds.
   */
  run(): Promise<void>;
  /** Why this worker can do none of its jobs; null if it can do some of them, or if the check has not failed. */
  problem(): string | null;
}

const REPEAT_MS = 60_000;

export function createBrowserCheck(config: Config, log: Logger): BrowserCheck {
  const queues = config.WORKER_QUEUES;
  let problem: string | null = null;

  async function run(): Promise<void> {
    if (!queues.has('browser')) return;
    const before = problem;
    problem = await findProblem(config, log);
    if (problem && problem !== before) log.warn(problem);
    if (problem) setTimeout(run, REPEAT_MS).unref();
  }

  return { run, problem: () => (queues.size === 1 ? problem : null) };
}

async function findProblem(config: Config, log: Logger): Promise<string | null> {
  try {
    return await chromiumProblem(chosenChromium(config));
  } catch (error) {
    log.warn('could not check the browser', { error });
    return 'generate_pdf will probably fail here, because the check of the browser failed';
  }
}
