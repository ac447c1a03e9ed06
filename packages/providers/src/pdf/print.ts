import { HandlerError, PermanentError } from '@jobline/handlers/errors';
import type { LoadedImage, Pdf, PdfRequest } from '@jobline/handlers/ports';
import type { HTTPRequest, Page } from 'puppeteer';
import { fillImages, imageAddresses, settleImages } from './in-page.js';

/** The address of the document. No server exists there, and nothing outside the document has the same origin. */
const ADDRESS = 'http://document.invalid/';

/**
 * The policy of the document: nothing is loaded from outside, and nothing in it may run, open windows, send data or
 * navigate.
 */
const POLICY = "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; sandbox";

const MARGIN = '15mm';

/**
 * Prints a document on a new page. The page must not be used again. Throws PermanentError for a PDF larger than
 * `maxBytes`.
 */
export async function print(
  page: Page,
  { html, loadImages }: Pick<PdfRequest, 'html' | 'loadImages'>,
  maxBytes: number,
): Promise<Pdf> {
  return rejectOnCrash(page, async () => {
    await open(page, html);
    await fill(page, loadImages);
    // The caller limits the time.
    const stream = await page.createPDFStream({
      format: 'A4',
      margin: { top: MARGIN, right: MARGIN, bottom: MARGIN, left: MARGIN },
      preferCSSPageSize: true,
      printBackground: true,
      timeout: 0,
    });
    const bytes = await readAll(stream, maxBytes);
    return { bytes, pages: pageCount(bytes) };
  });
}

/**
 * Opens the document. Only the request for the document itself is answered; images in `data:` URLs cause no request.
 */
async function open(page: Page, html: string): Promise<void> {
  let isOpen = false;
  const handle = (request: HTTPRequest): Promise<void> => {
    if (request.url().startsWith('data:')) return request.continue();
    if (isOpen || !request.isNavigationRequest() || request.frame() !== page.mainFrame())
      return request.abort('aborted');
    isOpen = true;
    const headers = { 'Content-Security-Policy': POLICY, 'X-DNS-Prefetch-Control': 'off' };
    return request.respond({ status: 200, contentType: 'text/html; charset=utf-8', headers, body: html });
  };
  await page.setJavaScriptEnabled(false);
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    handle(request).catch(() => undefined); // the page and its request are gone
  });
  await page.goto(ADDRESS, { waitUntil: 'load', timeout: 0 });
}

async function fill(page: Page, loadImages: PdfRequest['loadImages']): Promise<void> {
  const addresses = await page.evaluate(imageAddresses);
  const remote = addresses.filter((address) => /^https?:/.test(address) && !address.startsWith(ADDRESS));
  const loaded = remote.length > 0 ? await loadImages(remote) : new Map<string, LoadedImage>();
  for (const [address, { contentType, bytes }] of loaded) {
    await page.evaluate(fillImages, address, `data:${contentType};base64,${Buffer.from(bytes).toString('base64')}`);
  }
  if (addresses.length > 0) await page.evaluate(settleImages);
}

async function readAll(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) {
      const message = `the PDF is larger than the limit of ${maxBytes / 1024 / 1024} MiB`;
      throw new PermanentError(message, { code: 'invalid_payload' });
    }
  }
  return Buffer.concat(chunks);
}

/** A page that exceeds its memory limit loses its process. Some calls fail then, and others never return. */
async function rejectOnCrash<T>(page: Page, work: () => Promise<T>): Promise<T> {
  const crashed = new Promise<never>((_, reject) => {
    page.once('error', (cause) => reject(outOfMemory(cause)));
  });
  try {
    return await Promise.race([work(), crashed]);
  } catch (error) {
    const isCrash = error instanceof Error && /Printing failed|Page crashed|Target crashed/.test(error.message);
    throw isCrash ? outOfMemory(error) : error;
  }
}

function outOfMemory(cause: unknown): HandlerError {
  return new HandlerError('handler_error', 'the document needs more memory than a page is allowed', { cause });
}

const NODE = '<</Type /Pages\n';

/**
 * The number of pages of a PDF that Chromium has written: the root of its page tree contains the number in plain text.
 * Null if Chromium changes this format.
 */
function pageCount(pdf: Uint8Array): number | null {
  const bytes = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
  for (let at = bytes.indexOf(NODE); at >= 0; at = bytes.indexOf(NODE, at + NODE.length)) {
    const node = bytes.toString('latin1', at, bytes.indexOf('>>', at));
    const count = /\/Count (\d+)\b/.exec(node)?.[1];
    if (count !== undefined && !node.includes('/Parent')) return Number(count);
  }
  return null;
}
