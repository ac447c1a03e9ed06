import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { NoChromium } from './no-chromium.js';
import { isChromiumUnpacked, unpackChromium } from './packed-chromium.js';

/** A browser that can be run on this machine. */
export interface Chromium {
  path: string;
  /** For example `Chromium 156.0.8078.79`. */
  version: string;
  /** Environment variables that it needs in addition to BASE_ENV. */
  env: Readonly<Record<string, string>>;
}

/**
 * The paths where packages install it. The shells come first: they have no user interface and need the least memory.
 */
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

/**
 * The browser at the given path; without a path, the system's browser or the one of the optional package. Throws
 * NoChromium.
 */
export async function findChromium(given?: string): Promise<Chromium> {
  if (given) {
    const version = await versionOf(given);
    if (version) return { path: given, version, env: {} };
    throw new NoChromium(`PUPPETEER_EXECUTABLE_PATH is ${given}, but this is not a Chromium that can be run here`);
  }
  const found = (await findSystemChromium()) ?? (await findPackedChromium());
  if (!found) throw new NoChromium('Chromium was not found: install it, or set PUPPETEER_EXECUTABLE_PATH');
  return found;
}

/** The system's browser, or the one of the optional package if it is already unpacked; null if there is neither. */
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

/**
 * The version; null if the program is not a Chromium or cannot be run here. Ubuntu has a program of that name that only
 * prints advice.
 */
async function versionOf(path: string, env: Readonly<Record<string, string>> = {}): Promise<string | null> {
  try {
    const { stdout } = await run(path, ['--version'], { env: { ...BASE_ENV, ...env }, timeout: 15_000 });
    return /\b(?:Chromium|Google Chrome|HeadlessChrome)\b.* \d+\.[\d.]+/.exec(stdout)?.[0].trim() ?? null;
  } catch {
    return null; // it cannot be run
  }
}

const run = promisify(execFile);

/**
 * The environment of the browser, without our variables. Ours contain secrets, and the browser runs content that
 * callers chose.
 */
export const BASE_ENV = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
};
