import { execFile } from 'node:child_process';
import { pause, within } from '@jobline/runtime';
import type { Browser, Page } from 'puppeteer';
import { rejectOnAbort } from '../reject-on-abort.js';
import { BASE_ENV, type Chromium, findChromium, NoChromium } from './find-chromium.js';
import { createProfileDir, removeProfileDir } from './profile-dir.js';

/** A running browser. */
export interface RunningChromium {
  /**
   * Runs the work with a page that shares nothing with other pages. The page is closed when the work ends or the signal
   * is aborted.
   */
  withPage<T>(signal: AbortSignal, work: (page: Page) => Promise<T>): Promise<T>;
  hasEnded(): boolean;
  /** Resolves when the processes and files of the browser are gone. */
  end(): Promise<void>;
}

/**
 * The limits of each process of the browser. A document that needs more loses its page, and other pages are not
 * affected. Decoded images are stored in memory that is shared between processes, which counts as files (in blocks of
 * 512 bytes). The second limit is that of one image, about 64 million pixels. Exceeding it must cause an error and not
 * a fatal signal.
 */
const LIMITS = `ulimit -d ${1024 * 1024}; trap '' XFSZ; ulimit -f ${512 * 1024}`;
/**
 * Pages of callers use the processor time that is left, like the child processes for their templates. Chromium has a session of its
 * own, to which Linux may give a priority before it looks at those of processes.
 */
const LOW_PRIORITY = '{ echo 10 > /proc/self/autogroup; } 2> /dev/null; exec nice -n 10';
const START_TIMEOUT_MS = 30_000;
/** A page or browser that has not closed within this time is killed. */
const CLOSE_TIMEOUT_MS = 5_000;
/**
 * A killed process stays a zombie where process 1 does not reap, as in some containers. Waiting for it ends after this
 * time.
 */
const REAP_TIMEOUT_MS = 500;

/**
 * No document can reach the network. Four barriers each guarantee this alone: the policy of the document, the
 * interception of requests (both in print.ts), a proxy that does not exist, and a resolver that resolves no name or
 * address.
 */
const NO_NETWORK = [
  '--proxy-server=http://nowhere.invalid:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
];

/**
 * Starts a browser. It runs without its own sandbox only if `isSandboxed` is false. It ends with this process in every
 * case, because the system closes the pipe between them.
 */
export async function startChromium(
  chromium: Chromium,
  { isSandboxed }: { isSandboxed: boolean },
): Promise<RunningChromium> {
  const profileDir = await createProfileDir();
  try {
    const browser = await launch(chromium, profileDir, isSandboxed);
    let hasEnded = false;
    browser.once('disconnected', () => {
      hasEnded = true;
    });
    return {
      withPage: (signal, work) => withPage(browser, signal, work),
      hasEnded: () => hasEnded,
      async end() {
        await closesInTime(browser.close());
        await killAll(browser); // the browser has ended by now, but perhaps not its child processes
        await removeProfileDir(profileDir);
      },
    };
  } catch (error) {
    await removeProfileDir(profileDir);
    throw error;
  }
}

async function launch({ path, env }: Chromium, profileDir: string, isSandboxed: boolean): Promise<Browser> {
  // Loading takes half a second. Processes that print nothing do not need it.
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
    args: ['-c', `${LIMITS}; ${LOW_PRIORITY} "$0" "$@"`, path, ...args],
    ignoreDefaultArgs: true,
    pipe: true,
    env: { ...BASE_ENV, HOME: profileDir, ...env },
    timeout: START_TIMEOUT_MS,
    // The worker's main.ts handles signals.
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
    // Ends the process of the page, even if it is in an endless loop.
    const closing = opening.then((context) => context.close());
    if (!(await closesInTime(closing))) kill(browser);
  }
}

/** A failure counts as closed: what can no longer be closed is gone. */
function closesInTime(closing: Promise<void>): Promise<boolean> {
  const isClosed = () => true;
  return within(CLOSE_TIMEOUT_MS, closing.then(isClosed, isClosed), () => false);
}

/** Resolves when all processes of the browser have ended, or after a limit if they are not reaped. */
async function killAll(browser: Browser): Promise<void> {
  for (const end = performance.now() + REAP_TIMEOUT_MS; kill(browser) && performance.now() < end; ) await pause(5);
}

/** Kills all processes of the browser: Puppeteer starts it in its own process group. Returns whether there were any. */
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

/** The configured browser for PDFs. */
export interface ChosenChromium {
  /** The path of the browser. Absent: it is searched for. */
  executablePath?: string | undefined;
  /** False: Chromium runs without its own sandbox. */
  isSandboxed: boolean;
}

/** Why PDFs cannot be rendered here and what to do about it, as a sentence; null if there is no problem. */
export async function chromiumProblem({ executablePath, isSandboxed }: ChosenChromium): Promise<string | null> {
  try {
    const chromium = await findChromium(executablePath);
    // Not without the sandbox, which is what most starts fail of: a start takes a second of CPU time.
    const error = isSandboxed ? await findStartError(chromium, { isSandboxed }) : null;
    return error && `generate_pdf will fail here, because ${error.message}`;
  } catch (error) {
    if (!(error instanceof NoChromium)) throw error;
    return (
      `generate_pdf will fail here, because ${error.message} ` +
      '(Debian: `apt-get install chromium`; Alpine: `apk add chromium`; Fedora: `dnf install chromium-headless`)'
    );
  }
}

const MAX_OUTPUT_CHARS = 500;
const ADVICE = 'or set CHROMIUM_SANDBOX=off, but then a vulnerability of the browser is a vulnerability of this worker';

/**
 * Starts Chromium once with an empty page. Returns NoChromium if its sandbox cannot start here, an error with the
 * output of Chromium if it does not start for another reason, and null if it starts.
 */
export async function findStartError(
  { path, env }: Chromium,
  { isSandboxed }: { isSandboxed: boolean },
): Promise<Error | null> {
  if (isSandboxed && process.getuid?.() === 0) {
    return new NoChromium(`Chromium refuses to run as root in its sandbox: run the worker as another user, ${ADVICE}`);
  }
  const profileDir = await createProfileDir();
  try {
    const args = [`--user-data-dir=${profileDir}`, ...(isSandboxed ? [] : ['--no-sandbox'])];
    const output = await outputOfFailure(path, args, { ...BASE_ENV, HOME: profileDir, ...env });
    if (output === null) return null;
    if (!isSandboxed || !output.includes('No usable sandbox')) {
      return new Error(`Chromium does not start; the end of its output: ${output.trim().slice(-MAX_OUTPUT_CHARS)}`);
    }
    return new NoChromium(
      "Chromium's sandbox cannot start here: allow unprivileged processes to create user namespaces " +
        `(in a container, a seccomp profile that allows clone and unshare), ${ADVICE}`,
    );
  } finally {
    await removeProfileDir(profileDir);
  }
}

/** Null if Chromium prints an empty page, otherwise what it wrote to standard error. */
function outputOfFailure(path: string, args: readonly string[], env: Record<string, string>): Promise<string | null> {
  const usual = ['--headless', '--disable-gpu', '--disable-dev-shm-usage', '--dump-dom'];
  const limits = { timeout: START_TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    execFile(path, [...usual, ...args, 'about:blank'], { env, ...limits }, (error, _stdout, stderr) => {
      const end = error?.killed ? `\nended after ${START_TIMEOUT_MS / 1_000} s` : '';
      resolve(error === null ? null : stderr + end);
    });
  });
}
