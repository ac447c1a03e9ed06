import Joi from 'joi';
import { defineHandler } from '../define-handler.js';
import { outboundUrl, withoutQuery } from '../http/outbound-url.js';
import { download } from '../http/requests.js';

interface Payload {
  url: string;
  width?: number;
  quality?: number;
}

const FETCH_TIMEOUT_MS = 20_000;
const MAX_SOURCE_BYTES = 25 * 1024 * 1024;
const MAX_WIDTH = 16_383;
const DEFAULT_QUALITY = 80;
const EXTENSIONS = { jpeg: 'jpg', png: 'png', webp: 'webp', avif: 'avif' } as const;

/**
 * Downloads an image and stores a smaller one of the same format with the job. A repeated run only replaces that file.
 */
export const compressImage = defineHandler<Payload>({
  type: 'compress_image',
  summary: 'Make an image smaller, in its own format',
  queue: 'cpu',
  timeoutMs: 120_000,
  payload: Joi.object<Payload, true>({
    url: outboundUrl.required(),
    width: Joi.number().integer().min(1).max(MAX_WIDTH),
    quality: Joi.number().integer().min(1).max(100),
  }),
  async run({ url, width, quality = DEFAULT_QUALITY }, { ports, orgId, signal, log, saveArtifact }) {
    log('info', `GET ${withoutQuery(url)}`);
    const { bytes: source } = await download(ports.outbound, url, {
      orgId,
      accept: 'image/*',
      maxBytes: MAX_SOURCE_BYTES,
      timeoutMs: FETCH_TIMEOUT_MS,
      signal,
    });
    const image = await ports.images.compress(source, { width, quality, signal });
    const { bytes, format, before } = image;
    log(
      'info',
      `${format}, ${before.width} × ${before.height}, ${source.length} bytes → ` +
        `${image.width} × ${image.height}, ${bytes.length} bytes`,
    );

    const artifact = `compressed.${EXTENSIONS[format]}`;
    await saveArtifact({ name: artifact, contentType: `image/${format}`, bytes });
    return {
      artifact,
      format,
      width: image.width,
      height: image.height,
      size_before: source.length,
      size_after: bytes.length,
    };
  },
});
