import { FILE_NAME_LENGTH } from '@jobline/contracts';
import Joi from 'joi';
import { listOf, requiredWithout } from '../bounded-schema.js';
import { defineHandler, type RunContext } from '../define-handler.js';
import { fileName } from '../file-name.js';
import { hostOf, outboundUrl, withoutQuery } from '../http/outbound-url.js';
import { download } from '../http/requests.js';
import type { ImageFormat } from '../ports/index.js';
import { resultFields } from '../result-fields.js';
import { type Source, sourceFields } from '../source.js';

interface Payload {
  url?: string;
  /** Instead of `url`. */
  source?: Source;
  width?: number;
  /** Instead of `width`: one image for each. */
  widths?: number[];
  /** Absent: that of the source. */
  format?: ImageFormat;
  quality?: number;
  filename?: string;
}

const FETCH_TIMEOUT_MS = 20_000;
const MAX_SOURCE_BYTES = 25 * 1024 * 1024;
const MAX_WIDTH = 16_383;
const MAX_WIDTHS = 5;
const DEFAULT_QUALITY = 80;
const EXTENSIONS = { jpeg: 'jpg', png: 'png', webp: 'webp', avif: 'avif' } as const satisfies Record<
  ImageFormat,
  string
>;
// The cast: the keys of the constant.
const FORMATS = Object.keys(EXTENSIONS) as ImageFormat[];

const widthPx = () => Joi.number().integer().min(1).max(MAX_WIDTH);
const sizes = { artifact: Joi.string(), width: Joi.number(), height: Joi.number(), size_after: Joi.number() };

/** Downloads an image, or reads it from a source, once and stores smaller ones with the job. A repeated run only replaces these files. */
export const compressImage = defineHandler<Payload>({
  type: 'compress_image',
  summary: 'Make an image smaller',
  queue: 'cpu',
  timeoutMs: 120_000,
  payload: Joi.object<Payload>({
    url: requiredWithout('source', outboundUrl).description('Send this or `source`.'),
    source: sourceFields().description('A file, or an artifact of another job.'),
    width: widthPx(),
    widths: listOf(MAX_WIDTHS, widthPx())
      .min(1)
      .unique()
      .when('width', { not: Joi.exist(), otherwise: Joi.forbidden() }),
    format: Joi.valid(...FORMATS),
    quality: Joi.number().integer().min(1).max(100),
    filename: fileName,
  }),
  result: resultFields({ ...sizes, format: Joi.valid(...FORMATS), size_before: Joi.number() }).keys({
    images: Joi.array()
      .items(resultFields(sizes))
      .description('With `widths`: all images. The other fields are those of the first.'),
  }),
  about: ({ url }) => ({ url: hostOf(url) }),
  sources: ({ source }) => (source ? [{ path: 'payload.source', source }] : []),
  async run(payload, ctx) {
    const { ports, signal, log, progress, saveArtifact } = ctx;
    const { width, widths = [width], quality = DEFAULT_QUALITY } = payload;
    const source = await readImage(payload, ctx);
    const made: Made[] = [];
    for (const [n, widest] of widths.entries()) {
      progress(30 + (60 * n) / widths.length, 'compressing');
      const image = await ports.images.compress(source, { width: widest, quality, format: payload.format, signal });
      const { bytes, format, before } = image;
      log(
        'info',
        `${before.width} × ${before.height}, ${source.length} bytes → ` +
          `${format}, ${image.width} × ${image.height}, ${bytes.length} bytes`,
      );
      const artifact = artifactName(payload, widest, format);
      await saveArtifact({ name: artifact, contentType: `image/${format}`, bytes });
      made.push({ artifact, width: image.width, height: image.height, size_after: bytes.length, format });
    }
    const [first] = made;
    const images = made.map(({ format: _, ...image }) => image);
    return { ...first, size_before: source.length, ...(payload.widths && { images }) };
  },
});

async function readImage({ url = '', source }: Payload, ctx: RunContext): Promise<Uint8Array> {
  const { ports, orgId, signal, log } = ctx;
  if (source) return (await ctx.readSource(source, MAX_SOURCE_BYTES)).bytes;
  log('info', `GET ${withoutQuery(url)}`);
  const limits = { maxBytes: MAX_SOURCE_BYTES, timeoutMs: FETCH_TIMEOUT_MS };
  return download(ports.outbound, url, { orgId, accept: 'image/*', signal, ...limits });
}

interface Made {
  artifact: string;
  format: ImageFormat;
  width: number;
  height: number;
  size_after: number;
}

/** With `widths`, the width is a part of every name. */
function artifactName({ widths, filename }: Payload, width: number | undefined, format: ImageFormat): string {
  if (filename !== undefined && !widths) return filename;
  const end = `${width === undefined ? '' : `-${width}`}.${EXTENSIONS[format]}`;
  const name = filename?.replace(/(?<=.)\.[^.]*$/, '') ?? 'compressed';
  return name.slice(0, FILE_NAME_LENGTH - end.length).toWellFormed() + end;
}
