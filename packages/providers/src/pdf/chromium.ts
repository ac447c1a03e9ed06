import { pause } from '@jobline/runtime';
import type { Browser, Page } from 'puppeteer';
import { rejectOnAbort } from '../reject-on-abort.js';
import { BASE_ENV, type Chromium } from './find-chromium.js';
import { createProfileDir, removeProfileDir } from './profile-dir.js';

/** A browser that runs. */
export interface RunningChromium {
  /** Gives the work a page that shares nothing with any other, and takes it away when the work is done or the signal fires. */
  withPage<T>(signal: AbortSignal, work: (page: Page) => Promise<T>): Promise<T>;
  hasEnded(): boolean;
  /** Resolves when its processes and files are gone. */
  end(): Promise<void>;
}

/**
 * For each of its processes: a document that needs more loses its page, and its neighbours notice nothing. Decoded
 * pictures lie in memory that is shared between processes, which counts as files (in blocks of 512 bytes): the second
 * limit is that of one picture, some 64 million pixels. Who goes past it must get an error and not a deadly signal.
 */
const LIMITS = `ulimit -d ${1024 * 1024}; trap '' XFSZ; ulimit -f ${512 * 1024}`;
const START_TIMEOUT_MS = 30_000;
/** A page or a browser that is not gone by then is killed. */
const CLOSE_TIMEOUT_MS = 5_000;
/** What was killed is a zombie for ever where process 1 reaps nothing, as in some containers. */
const REAP_TIMEOUT_MS = 500;

/**
 * Every network request ends at one of four walls, each of which holds alone: the document's own policy, the page's
 * interception (both in print.ts), a proxy that does not exist, and a resolver that knows no name and no address.
 */
const NO_NETWORK = [
  '--proxy-server=http://nowhere.invalid:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
];

/**
 * Starts a browser, without its own sandbox only where `isSandboxed` is false. It ends with this process, however that ends: it speaks through a pipe, which the system closes.
 */
export async function startChromium(
  { path, env }: Chromium,
  { isSandboxed }: { isSandboxed: boolean },
): Promise<RunningChromium> {
  const profileDir = await createProfileDir();
  try {
    const browser = await launch(path, { profileDir, isSandboxed, env: { ...BASE_ENV, HOME: profileDir, ...env } });
    let hasEnded = false;
    browser.once('disconnected', () => {
      hasEnded = true;
    });
    return {
      withPage: (signal, work) => withPage(browser, signal, work),
      hasEnded: () => hasEnded,
      async end() {
        await settlesInTime(browser.close());
        await killAll(browser); // the browser is gone by now, but not always the processes that it started
        await removeProfileDir(profileDir);
      },
    };
  } catch (error) {
    await removeProfileDir(profileDir);
    throw error;
  }
}

interface Launch {
  profileDir: string;
  isSandboxed: boolean;
  env: Record<string, string>;
}

async function launch(path: string, { profileDir, isSandboxed, env }: Launch): Promise<Browser> {
  // Half a second to load, which processes that print nothing are spared.
  const { default: puppeteer } = await import('puppeteer');
  const args = puppeteer.defaultArgs({
    headless: 'shell',
    userDataDir: profileDir,
    args: [
      ...NO_NETWORK,
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--font-render-hinting=none',
      ...(isSandboxed ? [] : ['--no-sandbox']),
    ],
  });
  return puppeteer.launch({
    executablePath: '/bin/sh',
    args: ['-c', `${LIMITS}; exec "$0" "$@"`, path, ...args],
    ignoreDefaultArgs: true,
    pipe: true,
    env,
    timeout: START_TIMEOUT_MS,
    // The worker's main.ts decides what a signal means.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

async function withPage<T>(browser: Browser, signal: AbortSignal, work: (page: Page) => Promise<T>): Promise<T> {
  const opening = browser.createBrowserContext();
  try {
    return await rejectOnAbort(
      signal,
      opening.then(async (context) => work(await context.newPage())),
    );
  } finally {
    // Ends the page's process, also one that is caught in endless work.
    const closing = opening.then((context) => context.close());
    if (!(await settlesInTime(closing))) kill(browser);
  }
}

/** A failure counts as settled: what cannot be closed any more is gone. */
async function settlesInTime(closing: Promise<void>): Promise<boolean> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), CLOSE_TIMEOUT_MS);
  try {
    await rejectOnAbort(limit.signal, closing);
  } catch (error) {
    if (error === limit.signal.reason) return false;
  } finally {
    clearTimeout(timer);
  }
  return true;
}

/** Resolves when none of its processes runs any more; gives up on those that nobody reaps. */
async function killAll(browser: Browser): Promise<void> {
  for (const end = performance.now() + REAP_TIMEOUT_MS; kill(browser) && performance.now() < end; ) await pause(5);
}

/** Puppeteer starts it in a process group of its own, so this reaches all its processes. Tells whether there were any. */
function kill(browser: Browser): boolean {
  const pid = browser.process()?.pid;
  if (pid === undefined) return false;
  try {
    return process.kill(-pid, 'SIGKILL');
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw error;
    return false;
  }
}
