import type { JsonObject, OrgId } from '@jobline/contracts';
import Joi from 'joi';
import { defineHandler } from '../define-handler.js';
import { HandlerError, OutboundForbidden, PermanentError } from '../errors.js';
import { withoutQuery } from '../http/outbound-url.js';
import { download } from '../http/requests.js';
import { builtInTemplates } from '../pdf-templates/index.js';
import type { JobRun, LoadedImage, Outbound } from '../ports/index.js';

interface Payload {
  template: string;
  data?: JsonObject;
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
  }),
  async run({ template, data = {} }, { ports, orgId, signal, log, saveArtifact }) {
    const isInline = template.includes('<');
    const builtIn = isInline ? undefined : builtInTemplates.get(template);
    const source = isInline ? template : (builtIn ?? (await ports.templates.find(orgId, template)));
    if (source === null) {
      throw new PermanentError(`there is no template named ${JSON.stringify(template.slice(0, 200))}`, {
        code: 'invalid_payload',
      });
    }
    const { text: html, missing } = await ports.templates.fill(orgId, source, data, 'document', signal);
    if (builtIn === undefined && missing.length > 0)
      log('warn', `these variables are missing in data and left empty: ${missing.join(', ')}`);
    const { bytes, pages } = await ports.pdfs.render({
      html,
      loadImages: (urls) => loadImages(ports.outbound, urls, { orgId, signal, log }),
      signal,
    });
    log(
      'info',
      `rendered ${isInline ? 'the HTML' : `the template ${template}`}: ${describe(pages)}${bytes.length} bytes`,
    );

    const artifact = builtIn === undefined ? 'document.pdf' : `${template}.pdf`;
    await saveArtifact({ name: artifact, contentType: 'application/pdf', bytes });
    return { artifact, size: bytes.length, ...(pages !== null && { pages }) };
  },
});

function describe(pages: number | null): string {
  return pages === null ? '' : `${pages} ${pages === 1 ? 'page' : 'pages'}, `;
}

/**
 * Fetches the images of a document. An image that cannot be loaded is left out, and the log of the job says so. An
 * address that must not be called fails the job.
 */
async function loadImages(
  outbound: Outbound,
  urls: readonly string[],
  { orgId, signal, log }: Pick<JobRun, 'orgId' | 'signal' | 'log'>,
): Promise<ReadonlyMap<string, LoadedImage>> {
  if (urls.length > MAX_IMAGES) {
    log(
      'warn',
      `${urls.length - MAX_IMAGES} of ${urls.length} images were left out: a document may have ${MAX_IMAGES}`,
    );
  }
  const loaded = new Map<string, LoadedImage>();
  const limit = AbortSignal.timeout(IMAGES_LIMIT_MS);
  const load = async (url: string) => {
    try {
      loaded.set(url, await fetchImage(outbound, orgId, url, AbortSignal.any([signal, limit])));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OutboundForbidden) throw error;
      if (!(error instanceof HandlerError || limit.aborted)) throw error;
      const reason = error instanceof HandlerError ? error.message : `no answer within ${IMAGES_LIMIT_MS / 1000} s`;
      log('warn', `the image ${withoutQuery(url)} was left out: ${reason}`);
    }
  };
  await Promise.all(urls.slice(0, MAX_IMAGES).map(load));
  return loaded;
}

async function fetchImage(outbound: Outbound, orgId: OrgId, url: string, signal: AbortSignal): Promise<LoadedImage> {
  const options = { orgId, accept: 'image/*', maxBytes: MAX_IMAGE_BYTES, timeoutMs: IMAGES_LIMIT_MS, signal };
  const { bytes, contentType } = await download(outbound, url, options);
  if (!/^image\/[a-z0-9.+-]+$/.test(contentType)) {
    throw new HandlerError(
      'provider_rejected',
      `${new URL(url).host} sent ${contentType || 'no content type'} instead of an image`,
    );
  }
  return { bytes, contentType };
}
