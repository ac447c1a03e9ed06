import { HandlerError, PermanentError } from '@jobline/handlers/errors';
import type { Pdfs } from '@jobline/handlers/ports';
import { type Logger, within } from '@jobline/runtime';
import { findStartError, type RunningChromium, startChromium } from './chromium.js';
import { type Chromium, findChromium } from './find-chromium.js';
import { print } from './print.js';
import { removeStaleProfileDirs } from './profile-dir.js';
import { createBrowsers } from './shared-browser.js';

export interface PdfsOptions {
  /** The path of the browser. Absent: it is searched for. */
  executablePath?: string | undefined;
  /** False: Chromium runs without its own sandbox. */
  isSandboxed?: boolean;
  /** Receives errors of browsers that die or do not start. */
  log?: Logger;
  /** How many documents a browser renders before it is replaced. */
  maxPages?: number;
  /** The time limit of one document, from the moment it has a page. */
  limitMs?: number;
  /** The maximum size of a PDF. */
  maxPdfBytes?: number;
}

const MAX_PDF_BYTES = 25 * 1024 * 1024;

const MAX_HTML_BYTES = 2 * 1024 * 1024;

/** Renders PDFs with Chromium. Nothing is started before the first document. */
export function createPdfs(options: PdfsOptions = {}): Pdfs & { close(): Promise<void> } {
  const { executablePath, isSandboxed = true, log, maxPages = 100, limitMs = 30_000 } = options;
  const { maxPdfBytes = MAX_PDF_BYTES } = options;
  const tooLong = () => {
    throw new HandlerError('timeout', `the document took longer than ${limitMs / 1000} s to render`);
  };
  let found: Promise<Chromium> | null = null;
  const startFound = async () => {
    if (!found) {
      await removeStaleProfileDirs(log);
      found = findChromium(executablePath);
      // A browser may be installed while the worker runs.
      found.catch(() => {
        found = null;
      });
    }
    return start(await found, isSandboxed);
  };
  const browsers = createBrowsers(startFound, maxPages, log);
  return {
    async render(request) {
      request.signal.throwIfAborted();
      checkSize(request.html);
      // The page is closed when the limit has passed.
      return browsers.withPage(request.signal, (page) => within(limitMs, print(page, request, maxPdfBytes), tooLong));
    },
    /** Ends the browser and all documents in progress. */
    close: browsers.close,
  };
}

/** Throws an error with the reason if the browser does not start the second time either. */
async function start(chromium: Chromium, isSandboxed: boolean): Promise<RunningChromium> {
  try {
    return await startChromium(chromium, { isSandboxed });
  } catch (cause) {
    const error = await findStartError(chromium, { isSandboxed });
    if (error) error.cause = cause;
    throw error ?? cause;
  }
}

function checkSize(html: string): void {
  const sizeBytes = html.length > MAX_HTML_BYTES ? html.length : Buffer.byteLength(html);
  if (sizeBytes <= MAX_HTML_BYTES) return;
  const message = `the document has ${sizeBytes} bytes of HTML; the limit is ${MAX_HTML_BYTES}`;
  throw new PermanentError(message, { code: 'invalid_payload' });
}
