import { findChromium } from './find-chromium.js';
import { NoChromium } from './no-chromium.js';
import { sandboxProblem } from './sandbox-problem.js';

/** Which browser makes the PDFs, and whether in its own sandbox. */
export interface ChosenChromium {
  /** Its program; else it is looked for. */
  executablePath?: string | undefined;
  /** False: Chromium is started without its sandbox. */
  isSandboxed: boolean;
}

/** Why no PDF can be made here and what to do about it, in a sentence; null if nothing is wrong. */
export async function chromiumProblem({ executablePath, isSandboxed }: ChosenChromium): Promise<string | null> {
  try {
    const chromium = await findChromium(executablePath);
    const issue = isSandboxed ? await sandboxProblem(chromium) : null;
    return issue && `generate_pdf will fail here, because ${issue}`;
  } catch (error) {
    if (!(error instanceof NoChromium)) throw error;
    return (
      `generate_pdf will fail here, because ${error.message} ` +
      '(Debian: `apt-get install chromium`; Alpine: `apk add chromium`; Fedora: `dnf install chromium-headless`)'
    );
  }
}
