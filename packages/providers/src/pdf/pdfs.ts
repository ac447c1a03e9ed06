import { HandlerError, PermanentError } from '@jobline/handlers/errors';
import type { Pdfs } from '@jobline/handlers/ports';
import type { Logger } from '@jobline/runtime';
import { rejectOnAbort } from '../reject-on-abort.js';
import { createBrowsers } from './browsers.js';
import { type RunningChromium, startChromium } from './chromium.js';
import { type Chromium, findChromium } from './find-chromium.js';
import { NoChromium } from './no-chromium.js';
import { print } from './print.js';
import { removeStaleProfileDirs } from './profile-dir.js';
import { sandboxProblem } from './sandbox-problem.js';

export interface PdfsOptions {
  /** The browser's program; else it is looked for. */
  executablePath?: string | undefined;
  /** False: Chromium is started without its own sandbox. */
  isSandboxed?: boolean;
  /** Told of browsers that die or do not start. */
  log?: Logger;
  /** Documents that one browser makes before it is replaced. */
  maxPages?: number;
  /** How long one document may take, from the moment in which it has a page. */
  limitMs?: number;
  /** How large a PDF may become. */
  maxPdfBytes?: number;
}

const MAX_PDF_BYTES = 25 * 1024 * 1024;

const MAX_HTML_BYTES = 2 * 1024 * 1024;

/** PDFs by Chromium. Nothing is started before the first document. */
export function createPdfs(options: PdfsOptions = {}): Pdfs & { close(): Promise<void> } {
  const { executablePath, isSandboxed = true, log, maxPages = 100, limitMs = 30_000 } = options;
  const { maxPdfBytes = MAX_PDF_BYTES } = options;
  let found: Promise<Chromium> | null = null;
  const browsers = createBrowsers({
    async start() {
      if (!found) {
        await removeStaleProfileDirs(log);
        found = findChromium(executablePath);
        // Somebody may install one while we run.
        found.catch(() => {
          found = null;
        });
      }
      return start(await found, isSandboxed);
    },
    maxPages,
    log,
  });
  return {
    async render(request) {
      request.signal.throwIfAborted();
      checkSize(request.html);
      return browsers.withPage(request.signal, (page) => withinLimit(limitMs, print(page, request, maxPdfBytes)));
    },
    /** Ends the browser and every document under way. */
    close: browsers.close,
  };
}

/** Throws NoChromium where its sandbox keeps it from starting. */
async function start(chromium: Chromium, isSandboxed: boolean): Promise<RunningChromium> {
  try {
    return await startChromium(chromium, { isSandboxed });
  } catch (cause) {
    const issue = isSandboxed ? await sandboxProblem(chromium) : null;
    throw issue === null ? cause : new NoChromium(issue, { cause });
  }
}

function checkSize(html: string): void {
  const sizeBytes = html.length > MAX_HTML_BYTES ? html.length : Buffer.byteLength(html);
  if (sizeBytes <= MAX_HTML_BYTES) return;
  const message = `the document has ${sizeBytes} bytes of HTML, and at most ${MAX_HTML_BYTES} are rendered`;
  throw new PermanentError(message, { code: 'invalid_payload' });
}

/** Past the limit nobody waits for the work any more; the page is taken from it then. */
async function withinLimit<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const limit = new AbortController();
  const tooLong = () => new HandlerError('timeout', `the document took longer than ${limitMs / 1000} s to render`);
  const timer = setTimeout(() => limit.abort(tooLong()), limitMs);
  try {
    return await rejectOnAbort(limit.signal, work);
  } finally {
    clearTimeout(timer);
  }
}
