import { findChromium } from './find-chromium.js';
import { findStartError } from './find-start-error.js';
import { NoChromium } from './no-chromium.js';

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
