import { findChromium } from '@jobline/providers/chromium';
import { type Browser, chromium } from 'playwright-core';
import { IS_SANDBOXED } from './sandbox.js';

let shared: Promise<Browser> | undefined;

/**
 * The browser for the tests of the pages, the same as for PDFs. All test files of one process share it, and it ends
 * with the process. It resolves no name and reaches only the address of this machine, so requests of a page to other
 * hosts get no response.
 */
export async function openBrowser(): Promise<Browser> {
  const open = await shared?.catch(() => undefined); // a browser that failed to start is started again
  if (open?.isConnected()) return open;
  shared = launch();
  return shared;
}

/** Starts it a second time if the first start fails: rarely, Debian's Chromium ends with SIGSEGV before it is ready. */
async function launch(): Promise<Browser> {
  try {
    return await launchOnce();
  } catch (error) {
    console.warn(`The browser did not start and is started again: ${error}`);
    return launchOnce();
  }
}

async function launchOnce(): Promise<Browser> {
  const { path, env } = await findChromium(process.env.PUPPETEER_EXECUTABLE_PATH);
  endAtSigterm();
  return chromium.launch({
    executablePath: path,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', LANG: 'C.UTF-8', ...env },
    chromiumSandbox: IS_SANDBOXED,
    handleSIGTERM: false,
    args: [
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--force-color-profile=srgb',
      '--in-process-gpu', // software rendering needs no separate process
      '--js-flags=--no-turbofan --no-maglev', // pages live for a second: optimizing their code costs more than it saves
    ],
  });
}

/**
 * The runner ends its processes with SIGTERM. Playwright kills the browser and removes its profile when a process exits,
 * but a process that dies by the signal itself does not exit in that sense. Chromium also exits when its pipe to a
 * killed process closes.
 */
function endAtSigterm(): void {
  if (!process.listeners('SIGTERM').includes(exit)) process.once('SIGTERM', exit);
}

function exit(): void {
  process.exit();
}
