import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { HANG_MS, until } from '../harness/index.js';
import { DEFAULT_LOOK, type Look, setLook, viewportOf } from './looks.js';

/** A path of the origin that loads no code of the dashboard. */
const BLANK_PATH = '/theme.js';

export interface TabOptions extends Partial<Look> {
  /** Whether the test controls the clock of the page: see `passTime`. */
  hasClock?: boolean;
}

export interface PagePool {
  /** Opens a context that only this test uses. Tabs of one context share their storage. */
  newContext(look?: Partial<Look>): Promise<BrowserContext>;
  /**
   * Returns a tab that shares no storage, cookies or permissions with other tabs or earlier tests. Its page is on the
   * origin, but is not the dashboard yet.
   */
  take(options?: TabOptions): Promise<Page>;
  /** Stops watching the pages of the finished test, and returns the errors that they caused. */
  endWatch(): string[];
  /** Prepares the tabs of the finished test for the next one, and closes those that cannot be reused. */
  reset(): Promise<void>;
  /** Closes everything, after the last test. */
  close(): Promise<void>;
}

/**
 * Reuses tabs between tests, because opening a new tab takes more than twice as long as loading a page in an existing
 * one. Each tab has its own context.
 */
export function createPagePool(browser: Browser, origin: string): PagePool {
  /** An installed clock cannot be removed, so tabs with a clock are kept separately. */
  const free = { withClock: [] as Page[], plain: [] as Page[] };
  let taken: { page: Page; home: Page[] }[] = [];
  let contexts: BrowserContext[] = [];
  let errors: string[] = [];

  async function openContext(look: Partial<Look>): Promise<BrowserContext> {
    const { theme, width, height } = { ...DEFAULT_LOOK, ...look };
    const context = await browser.newContext({
      baseURL: origin,
      colorScheme: theme,
      viewport: viewportOf({ width, height }),
      hasTouch: width < 768,
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'Africa/Nairobi',
    });
    context.setDefaultTimeout(HANG_MS);
    return context;
  }

  async function openTab(hasClock: boolean): Promise<Page> {
    const page = await (await openContext({})).newPage();
    if (hasClock) await page.clock.install();
    await page.goto(BLANK_PATH);
    return page;
  }

  return {
    async newContext(look = {}) {
      const context = await openContext(look);
      contexts.push(context);
      context.on('page', (page) => watch(page, origin, errors));
      return context;
    },
    async take({ hasClock = false, ...look } = {}) {
      const home = hasClock ? free.withClock : free.plain;
      const page = home.pop() ?? (await openTab(hasClock));
      taken.push({ page, home });
      watch(page, origin, errors);
      await setLook(page, { ...DEFAULT_LOOK, ...look });
      return page;
    },
    endWatch() {
      for (const { page } of taken) for (const event of WATCHED_EVENTS) page.removeAllListeners(event);
      const seen = errors;
      errors = [];
      return seen;
    },
    async reset() {
      const [ended, used] = [contexts, taken];
      contexts = [];
      taken = [];
      await Promise.all([
        ...ended.map((context) => context.close()),
        ...used.map(async ({ page, home }) => {
          if (await makeReady(page)) home.push(page);
          else await page.context().close();
        }),
      ]);
    },
    async close() {
      const tabs = [...taken.map(({ page }) => page), ...free.withClock, ...free.plain];
      await Promise.all([...contexts, ...tabs.map((page) => page.context())].map((context) => context.close()));
    },
  };
}

const FAST_STEPS = 12;

/** Advances the clock of a tab by one second at a time until the element is shown, so that no timer is waited for. */
export async function passTime(page: Page, shown: Locator): Promise<void> {
  let steps = 0;
  await until(`${shown}`, async () => {
    if (await shown.isVisible()) return true;
    // Later more slowly: the time limits of a request (15 s) and of a silent stream (45 s) pass by the same clock.
    await page.clock.fastForward(steps++ < FAST_STEPS ? 1_000 : 100);
    return false;
  });
}

/** The page events that tests listen to. */
const WATCHED_EVENTS = ['console', 'pageerror', 'request', 'response', 'dialog'];

/** Resets a tab. Returns whether it is like a new tab. */
async function makeReady(page: Page): Promise<boolean> {
  if (page.isClosed() || page.context().pages().length > 1) return false;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.goto(BLANK_PATH);
  await page.mouse.move(0, 0);
  await page.evaluate(() => {
    sessionStorage.clear();
    localStorage.clear();
  });
  await Promise.all([page.context().clearPermissions(), page.context().clearCookies()]);
  return true;
}

function watch(page: Page, origin: string, errors: string[]): void {
  page.on('console', (message) => {
    // The browser logs 4xx responses as errors, but tests expect such responses.
    const isErrorResponse = /^Failed to load resource: the server responded with a status of 4\d\d/.test(
      message.text(),
    );
    if (message.type() === 'error' && !isErrorResponse)
      errors.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => errors.push(`thrown: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(blob|data|about):/.test(url)) errors.push(`request to another host: ${url}`);
  });
}
