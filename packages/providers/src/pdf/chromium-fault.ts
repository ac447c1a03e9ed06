import { findChromium } from './find-chromium.js';
import { NoChromium } from './no-chromium.js';

/** Why no PDF can be made here and what to do about it, in a sentence; null if nothing is wrong. */
export async function chromiumFault(given?: string): Promise<string | null> {
  try {
    await findChromium(given);
    return null;
  } catch (error) {
    if (!(error instanceof NoChromium)) throw error;
    return (
      `generate_pdf will fail here, because ${error.message} ` +
      '(Debian: `apt-get install chromium`; Alpine: `apk add chromium`; Fedora: `dnf install chromium-headless`)'
    );
  }
}
