import { findChromium } from './find-chromium.js';
import { NoChromium } from './no-chromium.js';
import { sandboxProblem } from './sandbox-problem.js';

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
    const problem = isSandboxed ? await sandboxProblem(chromium) : null;
    return problem && `generate_pdf will fail here, because ${problem}`;
  } catch (error) {
    if (!(error instanceof NoChromium)) throw error;
    return (
      `generate_pdf will fail here, because ${error.message} ` +
      '(Debian: `apt-get install chromium`; Alpine: `apk add chromium`; Fedora: `dnf install chromium-headless`)'
    );
  }
}
