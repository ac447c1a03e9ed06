import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { HANG_MS, until } from '../harness/index.js';
import { DEFAULT_LOOK, type Look, setLook, viewportOf } from './looks.js';

/** A path of the origin that runs nothing of the dashboard. */
const BLANK_PATH = '/theme.js';

export interface TabOptions extends Partial<Look> {
  /** Whether the test moves the time of the page on: see passTime. */
  hasClock?: boolean;
}

export interface PagePool {
  /** A context that no other test has seen and no other test will see. Tabs of one context are siblings. */
  newContext(look?: Partial<Look>): Promise<BrowserContext>;
  /**
   * A tab that shares no storage, cookie or permission with another tab of this test or with an earlier test. It shows
   * nothing of the dashboard yet, and its address is of the origin.
   */
  take(options?: TabOptions): Promise<Page>;
  /** Stops watching every page of the test that ends, and returns the faults of those pages. */
  endWatch(): string[];
  /** Makes the tabs of the test that has ended ready for the next one, and closes what cannot be used again. */
  reset(): Promise<void>;
  /** After the last test. */
  close(): Promise<void>;
}

/**
 * Keeps tabs from test to test, because a new tab takes more than twice the time of a page in an existing one. Each tab has
 * a context of its own.
 */
export function createPagePool(browser: Browser, origin: string): PagePool {
  /** A clock that is installed stays, so tabs with one are apart. */
  const free = { withClock: [] as Page[], plain: [] as Page[] };
  let taken: { page: Page; home: Page[] }[] = [];
  let contexts: BrowserContext[] = [];
  let faults: string[] = [];

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
      context.on('page', (page) => watch(page, origin, faults));
      return context;
    },
    async take({ hasClock = false, ...look } = {}) {
      const home = hasClock ? free.withClock : free.plain;
      const page = home.pop() ?? (await openTab(hasClock));
      taken.push({ page, home });
      watch(page, origin, faults);
      await setLook(page, { ...DEFAULT_LOOK, ...look });
      return page;
    },
    endWatch() {
      for (const { page } of taken) for (const event of HEARD) page.removeAllListeners(event);
      const seen = faults;
      faults = [];
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

/** Moves the time of a tab with a clock on, second by second, until that is shown: what waits in the page is due at once. */
export async function passTime(page: Page, shown: Locator): Promise<void> {
  await until(`${shown}`, async () => {
    if (await shown.isVisible()) return true;
    await page.clock.fastForward(1_000);
    return false;
  });
}

/** What tests listen to. */
const HEARD = ['console', 'pageerror', 'request', 'response', 'dialog'];

/** Whether the tab is now as a new one is. */
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

function watch(page: Page, origin: string, faults: string[]): void {
  page.on('console', (message) => {
    // The browser's own line about a response of 4xx: those are part of what is tested.
    const isRefusal = /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isRefusal) faults.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(blob|data|about):/.test(url)) faults.push(`asks another host: ${url}`);
  });
}
