import { findChromium, findReadyChromium } from '@jobline/providers/chromium';
import { reasonOf } from '../processes/terminal.js';
import { ensureInstalled, type InstallOptions } from './install.js';

const CHROMIUM = {
  name: 'Chromium',
  find: async () => (await findReadyChromium()) ?? undefined,
  // With fonts for the scripts of the world. macOS has its own.
  packages: {
    'apt-get': [
      'fonts-liberation',
      'fonts-noto-core',
      'fonts-noto-cjk',
      'fonts-noto-color-emoji',
      'chromium-headless-shell',
    ],
    apk: ['font-liberation', 'font-noto-all', 'font-noto-cjk', 'font-noto-emoji', 'chromium'],
    dnf: ['liberation-sans-fonts', 'chromium-headless'],
    brew: ['--cask', 'google-chrome'],
  },
  manually: 'install Chromium or Chrome',
  otherwise: 'set PUPPETEER_EXECUTABLE_PATH',
};

/**
 * Makes a Chromium available: that of PUPPETEER_EXECUTABLE_PATH, that of the system (installed if the package
 * manager asks nothing), or that of the optional package. Returns its version. Without a Chromium, warns and returns null: only
 * PDFs need it. A worker looks for Chromium itself, in the same places.
 */
export async function ensureChromium(options: InstallOptions & { warn(line: string): void }): Promise<string | null> {
  const configured = options.env.PUPPETEER_EXECUTABLE_PATH;
  const failure = configured ? null : await ensureInstalled(CHROMIUM, options).then(() => null, reasonOf);
  try {
    return (await findChromium(configured)).version;
  } catch (error) {
    options.warn(failure ?? `${reasonOf(error)}.`);
    options.warn('Without Chromium, PDFs cannot be generated; everything else works.');
    return null;
  }
}
