import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { NoChromium } from './no-chromium.js';
import { isChromiumUnpacked, unpackChromium } from './packed-chromium.js';

/** A browser that runs here. */
export interface Chromium {
  path: string;
  /** For example `Chromium 156.0.8078.79`. */
  version: string;
  /** What it needs in its environment beside the usual. */
  env: Readonly<Record<string, string>>;
}

/** Where packages put it. The shells, which have no user interface and need the least, come first. */
const SYSTEM_PATHS = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib64/chromium-browser/headless_shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/usr/local/bin/chromium',
  '/opt/homebrew/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The browser of this path, else the system's, else the one of the optional package. Throws NoChromium. */
export async function findChromium(given?: string): Promise<Chromium> {
  if (given) {
    const version = await versionOf(given);
    if (version) return { path: given, version, env: {} };
    throw new NoChromium(`PUPPETEER_EXECUTABLE_PATH is ${given}, and that is no Chromium that runs here`);
  }
  const found = (await findSystemChromium()) ?? (await findPackedChromium());
  if (!found) throw new NoChromium('there is no Chromium: install one, or set PUPPETEER_EXECUTABLE_PATH');
  return found;
}

/** The system's, else the one of the optional package if that is unpacked already; null if there is neither. */
export async function findReadyChromium(): Promise<Chromium | null> {
  return (await findSystemChromium()) ?? (isChromiumUnpacked() ? findPackedChromium() : null);
}

async function findSystemChromium(): Promise<Chromium | null> {
  for (const path of SYSTEM_PATHS.filter((candidate) => existsSync(candidate))) {
    const version = await versionOf(path);
    if (version) return { path, version, env: {} };
  }
  return null;
}

async function findPackedChromium(): Promise<Chromium | null> {
  const packed = await unpackChromium();
  for (const env of packed?.envs ?? []) {
    const version = packed && (await versionOf(packed.path, env));
    if (version) return { path: packed.path, version, env };
  }
  return null;
}

/** Null if it is not a Chromium, or cannot be run here: Ubuntu has a program of that name that only gives advice. */
async function versionOf(path: string, env: Readonly<Record<string, string>> = {}): Promise<string | null> {
  try {
    const { stdout } = await run(path, ['--version'], { env: { ...BASE_ENV, ...env }, timeout: 15_000 });
    return /\b(?:Chromium|Google Chrome|HeadlessChrome)\b.* \d+\.[\d.]+/.exec(stdout)?.[0].trim() ?? null;
  } catch {
    return null; // that it does not run is the answer
  }
}

const run = promisify(execFile);

/** What a browser sees of our environment: nothing. It has our secrets, and a browser runs what strangers write. */
export const BASE_ENV = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
};
