import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** A page of a real browser that records what must not happen on it. */
export interface WatchedPage {
  page: Page;
  /** Errors and warnings of its console, rejected and failed requests, and requests to other hosts. */
  troubles(): readonly string[];
}

export async function openPage(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL, ...options });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`page error: ${error.message}`));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== new URL(baseURL).origin) troubles.push(`foreign: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // This request was still running when the page was closed.
    if (reason !== 'net::ERR_ABORTED') troubles.push(`failed: ${request.url()} ${reason}`);
  });
  return { page, troubles: () => troubles };
}
