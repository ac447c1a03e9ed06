import { findChromium } from '@jobline/providers/chromium';
import { type Browser, chromium } from 'playwright-core';

/**
 * The browser that PDFs are made with, for the pages. One per test file; whoever starts it closes it. It knows no name and no
 * address but this machine's, so nothing that a page asks of others can be answered.
 */
export async function startBrowser(): Promise<Browser> {
  const { path, env } = await findChromium(process.env.PUPPETEER_EXECUTABLE_PATH);
  return chromium.launch({
    executablePath: path,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', LANG: 'C.UTF-8', ...env },
    chromiumSandbox: process.getuid?.() !== 0, // Chromium refuses to run as root in its sandbox
    args: [
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--force-color-profile=srgb',
    ],
  });
}
