import { HandlerError } from '@jobline/handlers/errors';
import type { Logger } from '@jobline/runtime';
import type { Page } from 'puppeteer';
import { rejectOnAbort } from '../reject-on-abort.js';
import type { RunningChromium } from './chromium.js';
import { NoChromium } from './find-chromium.js';

/** One browser for a whole worker. It is replaced when it dies, and after a number of pages. */
export interface Browsers {
  /**
   * Runs the work with a page of its own. If the browser does not start, or dies during the work (perhaps because of
   * another page), the work is started once more in the next browser. Throws HandlerError `provider_unavailable` if no
   * browser is available.
   */
  withPage<T>(signal: AbortSignal, work: (page: Page) => Promise<T>): Promise<T>;
  /** Ends all browsers, including their open pages. */
  close(): Promise<void>;
}

/** A browser, the number of its users, and how many it has had. */
interface SharedBrowser {
  starting: Promise<RunningChromium>;
  users: number;
  total: number;
  /** Whether the browser has failed to start or has died. */
  isDead(): boolean;
}

/** A failure of one browser, which need not happen in the next one. */
type BrowserFailure = 'the browser for PDFs could not be started' | 'the browser died while it rendered the document';

const MAX_TRIES = 2;

/** A browser is replaced after `maxPages`, because pages leave memory behind. */
export function createBrowsers(
  start: () => Promise<RunningChromium>,
  maxPages: number,
  log: Logger | undefined,
): Browsers {
  const all = new Set<SharedBrowser>();
  let current: SharedBrowser | null = null;
  let isClosed = false;

  function acquire(): SharedBrowser {
    if (isClosed) throw workerStopping();
    if (!current || mustBeReplaced(current)) {
      current = share(start());
      all.add(current);
    }
    current.users++;
    current.total++;
    return current;
  }

  function mustBeReplaced(browser: SharedBrowser): boolean {
    return browser.total >= maxPages || browser.isDead();
  }

  async function release(browser: SharedBrowser): Promise<void> {
    browser.users--;
    if (browser.users > 0 || !mustBeReplaced(browser)) return;
    if (current === browser) current = null;
    if (all.delete(browser)) await end(browser);
  }

  async function tryOnce<T>(
    signal: AbortSignal,
    work: (page: Page) => Promise<T>,
  ): Promise<{ value: T } | BrowserFailure> {
    const browser = acquire();
    try {
      const chromium = await started(browser, signal, log);
      if (!chromium) return 'the browser for PDFs could not be started';
      return { value: await chromium.withPage(signal, work) };
    } catch (error) {
      if (isClosed) throw workerStopping(error);
      const isOwnError = error instanceof HandlerError || signal.aborted;
      if (isOwnError || !browser.isDead()) throw error;
      log?.warn('the PDF browser died', { error });
      return 'the browser died while it rendered the document';
    } finally {
      await release(browser);
    }
  }

  return {
    async withPage(signal, work) {
      for (let tries = 1; ; tries++) {
        const outcome = await tryOnce(signal, work);
        if (typeof outcome === 'object') return outcome.value;
        if (tries === MAX_TRIES) throw new HandlerError('provider_unavailable', outcome);
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([...all].map(end));
    },
  };
}

function share(starting: Promise<RunningChromium>): SharedBrowser {
  let isDead = () => false;
  starting.then(
    (chromium) => {
      isDead = chromium.hasEnded;
    },
    () => {
      isDead = () => true; // the callers that wait for `starting` get the error
    },
  );
  return { starting, users: 0, total: 0, isDead: () => isDead() };
}

async function end({ starting }: SharedBrowser): Promise<void> {
  const chromium = await starting.catch(() => null); // it did not start, so there is nothing to end
  await chromium?.end();
}

/**
 * Null if the browser is installed but does not start; the reason is only for the operator. Throws if no browser is
 * installed.
 */
async function started(
  { starting }: SharedBrowser,
  signal: AbortSignal,
  log: Logger | undefined,
): Promise<RunningChromium | null> {
  try {
    return await rejectOnAbort(signal, starting);
  } catch (cause) {
    signal.throwIfAborted();
    log?.error('could not start the PDF browser', { error: cause });
    if (!(cause instanceof NoChromium)) return null;
    throw new HandlerError('provider_unavailable', `PDFs cannot be rendered: ${cause.message}`, { cause });
  }
}

function workerStopping(cause?: unknown): HandlerError {
  return new HandlerError('provider_unavailable', 'the worker is stopping', { cause });
}
