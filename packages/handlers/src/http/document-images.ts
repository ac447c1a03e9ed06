import type { OrgId } from '@jobline/contracts';
import { HandlerError, OutboundForbidden } from '../errors.js';
import type { LoadedImage, Outbound } from '../ports/index.js';
import type { JobRun } from '../run-context.js';
import { download } from './download.js';
import { withoutQuery } from './printable-url.js';

const MAX_IMAGES = 20;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** The limit for all images together, so that time remains to render the document. */
const LIMIT_MS = 15_000;

/**
 * Fetches the images of a document. An image that cannot be loaded is left out, and the log of the job says so. An
 * address that must not be called fails the job.
 */
export async function loadDocumentImages(
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
  const limit = AbortSignal.timeout(LIMIT_MS);
  const load = async (url: string) => {
    try {
      loaded.set(url, await fetchImage(outbound, orgId, url, AbortSignal.any([signal, limit])));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OutboundForbidden) throw error;
      if (!(error instanceof HandlerError || limit.aborted)) throw error;
      const reason = error instanceof HandlerError ? error.message : `no answer within ${LIMIT_MS / 1000} s`;
      log('warn', `the image ${withoutQuery(url)} was left out: ${reason}`);
    }
  };
  await Promise.all(urls.slice(0, MAX_IMAGES).map(load));
  return loaded;
}

async function fetchImage(outbound: Outbound, orgId: OrgId, url: string, signal: AbortSignal): Promise<LoadedImage> {
  const options = { orgId, accept: 'image/*', maxBytes: MAX_IMAGE_BYTES, timeoutMs: LIMIT_MS, signal };
  const { bytes, contentType } = await download(outbound, url, options);
  if (!/^image\/[a-z0-9.+-]+$/.test(contentType)) {
    throw new HandlerError(
      'provider_rejected',
      `${new URL(url).host} sent ${contentType || 'no content type'} instead of an image`,
    );
  }
  return { bytes, contentType };
}
