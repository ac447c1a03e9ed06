import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { lstat, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { NoChromium } from './no-chromium.js';

/** A browser with the libraries and fonts that a bare machine lacks. */
export interface PackedChromium {
  path: string;
  /** With the machine's own libraries, and with those of the package: to be tried in this order. */
  envs: readonly Readonly<Record<string, string>>[];
}

/**
 * Unpacks the browser of the optional package, once per user and machine; null if the package is not there or is made
 * for another platform. Not by the package's own code: that runs whatever lies in /tmp under the name that it would use.
 */
export async function unpackChromium(): Promise<PackedChromium | null> {
  const place = findPlace();
  if (!place) return null;
  const { packageDir, dir } = place;
  if (!existsSync(dir)) await unpack(join(packageDir, 'bin'), dir);
  await checkOwn(dir);
  const fonts = { FONTCONFIG_FILE: join(dir, 'fonts.conf') };
  return { path: join(dir, 'chromium'), envs: [fonts, { ...fonts, LD_LIBRARY_PATH: join(dir, 'lib') }] };
}

export function isChromiumUnpacked(): boolean {
  const place = findPlace();
  return place !== null && existsSync(place.dir);
}

/** The package, and where its browser goes. */
function findPlace(): { packageDir: string; dir: string } | null {
  const packageDir = process.platform === 'linux' && process.arch === 'x64' ? findPackage() : null;
  if (packageDir === null) return null;
  return { packageDir, dir: join(tmpdir(), `jobline-chromium-${versionOf(packageDir)}-${userInfo().uid}`) };
}

function findPackage(): string | null {
  try {
    const main = createRequire(import.meta.url).resolve('@sparticuz/chromium');
    return join(dirname(main), '../..');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

function versionOf(packageDir: string): string {
  const { version }: { version?: string } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'));
  return version ?? 'unknown';
}

/** What a stranger has put there is not run. */
async function checkOwn(dir: string): Promise<void> {
  const found = await lstat(dir);
  const isOwn = found.isDirectory() && found.uid === userInfo().uid && (found.mode & 0o022) === 0;
  if (!isOwn) throw new NoChromium(`${dir} belongs to somebody else: remove it, or set PUPPETEER_EXECUTABLE_PATH`);
}

/** Whole or not at all, also when several processes do it at once. */
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

/** The machine's own fonts where it has any, and the package's. */
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
