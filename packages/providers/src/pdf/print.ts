import { HandlerError, PermanentError } from '@jobline/handlers/errors';
import type { LeftOut, Pdf, PdfRequest } from '@jobline/handlers/ports';
import type { HTTPRequest, Page } from 'puppeteer';
import { type BlockedPart, watchBlockedParts } from './blocked-parts.js';
import { type GlyphLimits, missingGlyphs } from './glyphs-in-page.js';
import { fillImages, knownAddresses, settleImages } from './in-page.js';

/** The address of the document. No server exists there, and nothing outside the document has the same origin. */
const ADDRESS = 'http://document.invalid/';

/**
 * The policy of the document: nothing is loaded from outside, and nothing in it may run, open windows, send data or
 * navigate.
 */
const POLICY = "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; sandbox";

const MARGIN = '15mm';

/** About a second of CPU time at most. The time limit is for busy machines. */
const GLYPH_LIMITS: GlyphLimits = { characters: 4_000, missing: 500, ms: 5_000 };

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
    const blocked = await watchBlockedParts(page);
    await open(page, html);
    const { requested, leftOut } = await fill(page, loadImages);
    const { characters, unchecked } = await page.evaluate(missingGlyphs, GLYPH_LIMITS);
    // The caller limits the time.
    const stream = await page.createPDFStream({
      format: 'A4',
      margin: { top: MARGIN, right: MARGIN, bottom: MARGIN, left: MARGIN },
      preferCSSPageSize: true,
      printBackground: true,
      timeout: 0,
    });
    const bytes = await readAll(stream, maxBytes);
    return {
      bytes,
      leftOut: [...leftOut, ...otherParts(blocked, requested)],
      missingGlyphs: characters,
      uncheckedGlyphs: unchecked,
      pages: pageCount(bytes),
    };
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
  // So that what is looked for is what will be printed.
  await page.emulateMediaType('print');
}

/** Loads the images. Returns what Chromium has requested for them itself, and the images that were left out. */
async function fill(
  page: Page,
  loadImages: PdfRequest['loadImages'],
): Promise<{ requested: string[]; leftOut: LeftOut[] }> {
  const { images, requested } = await page.evaluate(knownAddresses);
  const remote = [...new Set(images)].filter(isRemote);
  const loaded = remote.length > 0 ? await loadImages(remote) : new Map<string, Uint8Array>();
  for (const [address, bytes] of loaded) await page.evaluate(fillImages, address, dataUrlOf(bytes));
  const undrawn = images.length > 0 ? await page.evaluate(settleImages) : [];
  const addresses = new Set(undrawn.map((i) => images[i] ?? ''));
  const leftOut = [...addresses].filter((address) => address !== '' && (loaded.has(address) || !isRemote(address)));
  return {
    requested,
    leftOut: leftOut.map((address) => toLeftOut('image', address, 'not an image that can be drawn')),
  };
}

function isRemote(address: string): boolean {
  return /^https?:/.test(address) && !address.startsWith(ADDRESS);
}

function toLeftOut(part: LeftOut['part'], address: string, reason?: string): LeftOut {
  if (address.startsWith(ADDRESS))
    return { part, address: address.slice(ADDRESS.length), reason: 'a relative address' };
  if (!/^(https?|data):/.test(address)) return { part, address, reason: 'neither http nor https' };
  return { part, address, ...(reason && { reason }) };
}

/** The blocked parts without the requests that Chromium made for `img` elements and for links. */
function otherParts(blocked: readonly BlockedPart[], requested: readonly string[]): LeftOut[] {
  const counts = new Map<string, number>();
  for (const address of requested) counts.set(address, (counts.get(address) ?? 0) + 1);
  return blocked.flatMap(({ part, address }) => {
    const count = counts.get(address) ?? 0;
    counts.set(address, count - 1);
    return count > 0 ? [] : [toLeftOut(part, address, part === 'image' ? 'not the src of an img element' : undefined)];
  });
}

const SVG_START_BYTES = 4096;

/** Chromium recognizes each format by the bytes of the file, except SVG. */
function dataUrlOf(bytes: Uint8Array): string {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = file.toString('utf8', 0, SVG_START_BYTES).trimStart();
  const isSvg = start.startsWith('<') && /<(\w+:)?svg[\s>]/i.test(start);
  return `data:${isSvg ? 'image/svg+xml' : 'application/octet-stream'};base64,${file.toString('base64')}`;
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
