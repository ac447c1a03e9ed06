import type { JsonObject } from '@jobline/contracts';
import Joi from 'joi';
import { defineHandler } from '../define-handler.js';
import { HandlerError, OutboundForbidden, PermanentError } from '../errors.js';
import { fileName, toFileName } from '../file-name.js';
import { parseUrl } from '../http/outbound-url.js';
import { download } from '../http/requests.js';
import { builtInTemplates } from '../pdf-templates/index.js';
import type { JobRun, LeftOut, Outbound, Pdf } from '../ports/index.js';
import { resultFields } from '../result-fields.js';

interface Payload {
  template: string;
  data?: JsonObject;
  timezone?: string;
  filename?: string;
}

const MAX_TEMPLATE_LENGTH = 1024 * 1024;
const MAX_IMAGES = 20;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** The limit for all images together, so that time remains to render the document. */
const IMAGES_LIMIT_MS = 15_000;

/** Fills a template and stores it as a PDF with the job. A repeated run only replaces that file. */
export const generatePdf = defineHandler<Payload>({
  type: 'generate_pdf',
  summary: 'Make a PDF of a template and its data',
  queue: 'browser',
  // Rendering has its own limit with a more specific message. A document may be started twice.
  timeoutMs: 90_000,
  payload: Joi.object<Payload, true>({
    template: Joi.string().max(MAX_TEMPLATE_LENGTH).required(),
    data: Joi.object(),
    timezone: Joi.string()
      .custom(checkTimezone)
      .description('The IANA name of the time zone for times with an offset.'),
    filename: fileName,
  }),
  result: resultFields({ artifact: Joi.string(), size: Joi.number() }).keys({ pages: Joi.number() }),
  async run({ template, data = {}, timezone, filename }, { ports, orgId, signal, log, progress, saveArtifact }) {
    const isInline = template.includes('<');
    const builtIn = isInline ? undefined : builtInTemplates.get(template);
    const source = isInline ? template : (builtIn?.source ?? (await ports.templates.find(orgId, template)));
    if (source === null) {
      throw new PermanentError(`there is no template named ${JSON.stringify(template.slice(0, 200))}`, {
        code: 'invalid_payload',
      });
    }
    const { text: html, missing } = await ports.templates.fill(orgId, source, data, 'document', signal, {
      builtIn: builtIn?.name,
      timezone,
    });
    if (builtIn === undefined && missing.length > 0)
      log('warn', `these variables are missing in data and left empty: ${missing.join(', ')}`);
    progress(20, 'rendering');
    const images: LeftOut[] = [];
    const pdf = await ports.pdfs.render({
      html,
      loadImages: (urls) => loadImages(ports.outbound, urls, images, { orgId, signal }),
      signal,
    });
    const { bytes, pages } = pdf;
    const gaps = describeGaps({ ...pdf, leftOut: [...images, ...pdf.leftOut] });
    if (gaps !== null) log('warn', gaps);
    log(
      'info',
      `rendered ${isInline ? 'the HTML' : `the template ${template}`}: ${describe(pages)}${bytes.length} bytes`,
    );

    progress(90, 'storing');
    const artifact = filename ?? (isInline ? 'document.pdf' : toFileName(template, 'pdf'));
    await saveArtifact({ name: artifact, contentType: 'application/pdf', bytes });
    return { artifact, size: bytes.length, ...(pages !== null && { pages }) };
  },
});

/** The characters of IANA names. Some versions of JavaScript also accept offsets, such as +01:00, which are no zones. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

function checkTimezone(name: string, { message }: Joi.CustomHelpers<string>): string | Joi.ErrorReport {
  return ZONE_NAME.test(name) && isKnownZone(name)
    ? name
    : message({ custom: '{{#label}} must be the IANA name of a time zone, such as Africa/Nairobi' });
}

function isKnownZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function describe(pages: number | null): string {
  return pages === null ? '' : `${pages} ${pages === 1 ? 'page' : 'pages'}, `;
}

/**
 * Fetches the images of a document. An image that cannot be loaded is added to `leftOut`. An address that must not be
 * called fails the job.
 */
async function loadImages(
  outbound: Outbound,
  urls: readonly string[],
  leftOut: LeftOut[],
  { orgId, signal }: Pick<JobRun, 'orgId' | 'signal'>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const loaded = new Map<string, Uint8Array>();
  const limit = AbortSignal.timeout(IMAGES_LIMIT_MS);
  const options = {
    orgId,
    accept: 'image/*',
    maxBytes: MAX_IMAGE_BYTES,
    timeoutMs: IMAGES_LIMIT_MS,
    signal: AbortSignal.any([signal, limit]),
  };
  const load = async (url: string): Promise<LeftOut[]> => {
    try {
      loaded.set(url, await download(outbound, url, options));
      return [];
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OutboundForbidden) throw error;
      if (!(error instanceof HandlerError || limit.aborted)) throw error;
      const reason = error instanceof HandlerError ? error.message : `no answer within ${IMAGES_LIMIT_MS / 1000} s`;
      return [{ part: 'image', address: url, reason }];
    }
  };
  const failed = await Promise.all(urls.slice(0, MAX_IMAGES).map(load));
  const tooMany = { part: 'image', reason: `a document may have ${MAX_IMAGES} images` } as const;
  // Replaces the list, because a document may be started twice.
  leftOut.splice(
    0,
    leftOut.length,
    ...failed.flat(),
    ...urls.slice(MAX_IMAGES).map((address) => ({ ...tooMany, address })),
  );
  return loaded;
}

const MAX_NAMED = 20;
const MAX_NAME_LENGTH = 120;

/** What a PDF lacks, as a line for the log of the job; null if it is complete. */
function describeGaps({ leftOut, missingGlyphs, uncheckedGlyphs }: Omit<Pdf, 'bytes' | 'pages'>): string | null {
  const parts = new Set(
    leftOut.map(({ part, address, reason }) => {
      return `${part} ${short(withoutSecrets(address))}${reason ? ` (${short(reason)})` : ''}`;
    }),
  );
  const characters = missingGlyphs.map((character) => {
    return `${character} (U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')})`;
  });
  const gaps = [
    parts.size > 0 && `left out: ${firstOf([...parts])}`,
    characters.length > 0 && `characters without a glyph in any font: ${firstOf(characters)}`,
    uncheckedGlyphs > 0 && `characters not checked for a glyph: ${uncheckedGlyphs}`,
  ];
  return gaps.filter(Boolean).join('; ') || null;
}

function firstOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function short(text: string): string {
  return text.length > MAX_NAME_LENGTH ? `${text.slice(0, MAX_NAME_LENGTH)}…` : text;
}

/** An address without its query and credentials, and without the content of a `data:` URL. */
function withoutSecrets(address: string): string {
  const url = parseUrl(address);
  if (!url) return address.replace(/[?#].*/s, '');
  const { protocol, host, pathname } = url;
  return `${protocol}${host && `//${host}`}${protocol === 'data:' ? pathname.replace(/[;,].*/s, '') : pathname}`;
}
