import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { lstat, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';

/** Finds the browser for PDFs, also for installers and start checks. Loads no vendor library. */

/** A browser that can be run on this machine. */
export interface Chromium {
  path: string;
  /** For example `Chromium 156.0.8078.79`. */
  version: string;
  /** Environment variables that it needs in addition to BASE_ENV. */
  env: Readonly<Record<string, string>>;
}

/** No browser can be run here. The message says what to do about it. */
export class NoChromium extends Error {
  override name = 'NoChromium';
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
  const packed = locatePackage();
  return (await findSystemChromium()) ?? (packed && existsSync(packed.dir) ? findPackedChromium() : null);
}

async function findSystemChromium(): Promise<Chromium | null> {
  for (const path of SYSTEM_PATHS.filter((candidate) => existsSync(candidate))) {
    const version = await versionOf(path);
    if (version) return { path, version, env: {} };
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

/**
 * The browser of the optional package, with the libraries and fonts that a minimal machine lacks. It is unpacked once
 * per user and machine. The package's own code is not used: it runs any file that exists in /tmp under the expected
 * name.
 */
async function findPackedChromium(): Promise<Chromium | null> {
  const located = locatePackage();
  if (!located) return null;
  const { packageDir, dir } = located;
  if (!existsSync(dir)) await unpack(join(packageDir, 'bin'), dir);
  await checkOwn(dir);
  const path = join(dir, 'chromium');
  const fonts = { FONTCONFIG_FILE: join(dir, 'fonts.conf') };
  // First with the libraries of the machine, then with those of the package.
  for (const env of [fonts, { ...fonts, LD_LIBRARY_PATH: join(dir, 'lib') }]) {
    const version = await versionOf(path, env);
    if (version) return { path, version, env };
  }
  return null;
}

/**
 * The optional package, and the folder that its browser is unpacked to. Null if the package is not installed or is built
 * for another platform.
 */
function locatePackage(): { packageDir: string; dir: string } | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  try {
    const packageDir = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '../..');
    const { version = 'unknown' }: { version?: string } = JSON.parse(
      readFileSync(join(packageDir, 'package.json'), 'utf8'),
    );
    return { packageDir, dir: join(tmpdir(), `jobline-chromium-${version}-${userInfo().uid}`) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

/** Throws if another user could have written the folder. Its content must not be run then. */
async function checkOwn(dir: string): Promise<void> {
  const found = await lstat(dir);
  const isOwn = found.isDirectory() && found.uid === userInfo().uid && (found.mode & 0o022) === 0;
  if (!isOwn) throw new NoChromium(`${dir} belongs to another user: remove it, or set PUPPETEER_EXECUTABLE_PATH`);
}

/** Unpacks completely or not at all, even if several processes do it at the same time. */
async function unpack(binDir: string, dir: string): Promise<void> {
  const draft = await mkdtemp(`${dir}.`);
  try {
    await inflate(join(binDir, 'chromium.br'), createWriteStream(join(draft, 'chromium'), { mode: 0o700 }));
    await untar(join(binDir, 'al2023.tar.br'), draft);
    await untar(join(binDir, 'fonts.tar.br'), draft);
    await writeFile(join(draft, 'fonts.conf'), fontsConf(join(dir, 'fonts')));
    await rename(draft, dir);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(dir)) throw error; // else another process was faster
  }
}

async function inflate(file: string, target: Writable): Promise<void> {
  await pipeline(createReadStream(file), createBrotliDecompress(), target);
}

async function untar(file: string, dir: string): Promise<void> {
  const tar = spawn('tar', ['-x', '-f', '-', '-C', dir, '--no-same-owner'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const exited = once(tar, 'exit'); // rejects if there is no such program
  const [[code]] = await Promise.all([exited, inflate(file, tar.stdin)]);
  if (code !== 0) throw new NoChromium(`${file} could not be unpacked: tar ended with ${code}`);
}

/** Adds the fonts of the package to the fonts of the machine. */
function fontsConf(dir: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${dir}</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
}
