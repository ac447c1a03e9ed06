import { findChromium, findReadyChromium, NoChromium } from '@jobline/providers/chromium';
import { PlainError } from '../processes/plain-error.js';
import { ensureInstalled, type InstallOptions } from './install.js';

/**
 * Sees to it that the worker finds a Chromium: the one that was named, the system's, one installed if that can be done
 * without a question, or the optional package's. Gives its version, or null when there is none: then that is said, and
 * everything but PDFs works. A worker looks for itself, in the same places.
 */
export async function ensureChromium(
  options: InstallOptions & { complain(line: string): void },
): Promise<string | null> {
  const { env, complain } = options;
  const given = env.PUPPETEER_EXECUTABLE_PATH;
  let failure: unknown;
  if (!given) {
    try {
      return (await ensureInstalled(CHROMIUM, options)).version;
    } catch (error) {
      if (!(error instanceof PlainError)) throw error;
      failure = error;
    }
  }
  try {
    return (await findChromium(given)).version;
  } catch (error) {
    if (!(error instanceof NoChromium)) throw error;
    complain(failure instanceof PlainError ? failure.message : `${error.message}.`);
    complain('Without it no PDF can be made; everything else works.');
    return null;
  }
}

const CHROMIUM = {
  name: 'Chromium',
  find: async () => (await findReadyChromium()) ?? undefined,
  packages: {
    'apt-get': ['chromium-headless-shell', 'fonts-liberation'],
    apk: ['chromium', 'font-liberation'],
    dnf: ['chromium-headless', 'liberation-sans-fonts'],
    brew: ['--cask', 'google-chrome'],
  },
  byHand: 'install Chromium or Chrome',
  otherwise: 'set PUPPETEER_EXECUTABLE_PATH',
};
