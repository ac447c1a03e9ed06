import { findChromium, findReadyChromium, NoChromium } from '@jobline/providers/chromium';
import { PlainError } from '../processes/plain-error.js';
import { ensureInstalled, type InstallOptions } from './install.js';

const CHROMIUM = {
  name: 'Chromium',
  find: async () => (await findReadyChromium()) ?? undefined,
  packages: {
    'apt-get': ['fonts-liberation', 'chromium-headless-shell'],
    apk: ['font-liberation', 'chromium'],
    dnf: ['liberation-sans-fonts', 'chromium-headless'],
    brew: ['--cask', 'google-chrome'],
  },
  manually: 'install Chromium or Chrome',
  otherwise: 'set PUPPETEER_EXECUTABLE_PATH',
};

/**
 * Makes a Chromium available: that of PUPPETEER_EXECUTABLE_PATH, that of the system (installed if that needs no
 * question), or that of the optional package. Returns its version. Without a Chromium, warns and returns null: only
 * PDFs need it. A worker looks for Chromium itself, in the same places.
 */
export async function ensureChromium(options: InstallOptions & { warn(line: string): void }): Promise<string | null> {
  const configured = options.env.PUPPETEER_EXECUTABLE_PATH;
  let failure: PlainError | undefined;
  try {
    if (!configured) return (await ensureInstalled(CHROMIUM, options)).version;
  } catch (error) {
    if (!(error instanceof PlainError)) throw error;
    failure = error;
  }
  try {
    return (await findChromium(configured)).version;
  } catch (error) {
    if (!(error instanceof NoChromium)) throw error;
    options.warn(failure?.message ?? `${error.message}.`);
    options.warn('Without Chromium, PDFs cannot be generated; everything else works.');
    return null;
  }
}
