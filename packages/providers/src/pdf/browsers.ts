import { HandlerError } from '@jobline/handlers/errors';
import type { Logger } from '@jobline/runtime';
import type { Page } from 'puppeteer';
import { rejectOnAbort } from '../reject-on-abort.js';
import type { RunningChromium } from './chromium.js';
import { NoChromium } from './no-chromium.js';

/** One browser for a whole worker, replaced when it dies and now and then. */
export interface Browsers {
  /**
   * Gives the work a page of its own. If the browser does not start, or dies under it, which may be a neighbour's doing,
   * the work is begun once more on the next one. Throws HandlerError `provider_unavailable` when there is no browser to
   * be had.
   */
  withPage<T>(signal: AbortSignal, work: (page: Page) => Promise<T>): Promise<T>;
  /** Ends every browser, pages that are still open included. */
  close(): Promise<void>;
}

export interface BrowsersOptions {
  start(): Promise<RunningChromium>;
  /** A browser that has had so many pages is replaced: they leave something behind in it. */
  maxPages: number;
  log?: Logger | undefined;
}

/** A browser, how many hold it, and how many have held it. */
interface Held {
  starting: Promise<RunningChromium>;
  holders: number;
  total: number;
  /** It did not start, or has died. */
  isDead(): boolean;
}

/** What may befall any browser, and need not befall the next. */
type Misfortune = 'the browser for PDFs could not be started' | 'the browser died while it made the document';

const MAX_TRIES = 2;

export function createBrowsers({ start, maxPages, log }: BrowsersOptions): Browsers {
  const all = new Set<Held>();
  let current: Held | null = null;
  let isClosed = false;

  function take(): Held {
    if (isClosed) throw stopping();
    if (!current || isSpent(current)) {
      current = hold(start());
      all.add(current);
    }
    current.holders++;
    current.total++;
    return current;
  }

  function isSpent(browser: Held): boolean {
    return browser.total >= maxPages || browser.isDead();
  }

  async function giveBack(browser: Held): Promise<void> {
    browser.holders--;
    if (browser.holders > 0 || !isSpent(browser)) return;
    if (current === browser) current = null;
    if (all.delete(browser)) await end(browser);
  }

  async function tryOnce<T>(signal: AbortSignal, work: (page: Page) => Promise<T>): Promise<{ value: T } | Misfortune> {
    const browser = take();
    try {
      const chromium = await started(browser, signal, log);
      if (!chromium) return 'the browser for PDFs could not be started';
      return { value: await chromium.withPage(signal, work) };
    } catch (error) {
      if (isClosed) throw stopping(error);
      const isOurs = error instanceof HandlerError || signal.aborted;
      if (isOurs || !browser.isDead()) throw error;
      log?.warn('the browser died', { error });
      return 'the browser died while it made the document';
    } finally {
      await giveBack(browser);
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

function hold(starting: Promise<RunningChromium>): Held {
  let isDead = () => false;
  starting.then(
    (chromium) => {
      isDead = chromium.hasEnded;
    },
    () => {
      isDead = () => true; // why, is told to whoever waits for it
    },
  );
  return { starting, holders: 0, total: 0, isDead: () => isDead() };
}

async function end({ starting }: Held): Promise<void> {
  const chromium = await starting.catch(() => null); // then there is nothing to end
  await chromium?.end();
}

/** Null: it is there, and does not start; why is the operator's affair. That there is none is said. */
async function started(
  { starting }: Held,
  signal: AbortSignal,
  log: Logger | undefined,
): Promise<RunningChromium | null> {
  try {
    return await rejectOnAbort(signal, starting);
  } catch (cause) {
    signal.throwIfAborted();
    log?.error('the browser could not be started', { error: cause });
    if (!(cause instanceof NoChromium)) return null;
    throw new HandlerError('provider_unavailable', `no PDF can be made: ${cause.message}`, { cause });
  }
}

function stopping(cause?: unknown): HandlerError {
  return new HandlerError('provider_unavailable', 'the worker stops', { cause });
}
