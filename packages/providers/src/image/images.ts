import { HandlerError, PermanentError } from '@jobline/handlers/errors';
import type { CompressedImage, CompressOptions, ImageFormat, Images } from '@jobline/handlers/ports';
import type { Metadata, Sharp, default as sharp } from 'sharp';
import { orAbort } from '../or-abort.js';
import { imageFormat, isAnimatedPng, refusedFormat } from './format.js';

/** Of an image as it comes, so that a file of a few KiB cannot ask for gigabytes. */
const MAX_PIXELS = 50_000_000;
/** What every format can have. */
const MAX_SIDE_PX = 16_383;
/** The native code looks at this clock only: it cannot be told to stop. */
const LIMIT_S = 80;

const INPUT = { limitInputPixels: MAX_PIXELS, sequentialRead: true, failOn: 'error' } as const;

type Decode = typeof sharp;

/** Images by libvips, which is loaded for the first one. */
export function createImages(): Images {
  let loaded: Promise<Decode> | undefined;
  return {
    async compress(source, options) {
      options.signal.throwIfAborted();
      loaded ??= loadSharp();
      // The native code that nobody waits for any more ends by itself, and nobody looks at what it made.
      return orAbort(options.signal, compress(await loaded, source, options));
    },
  };
}

/** Settings that hold for the whole process are made here: once is enough. */
async function loadSharp(): Promise<Decode> {
  const { default: decode } = await import('sharp');
  // A job uses one core, and nothing of it stays in memory.
  decode.concurrency(1);
  decode.cache(false);
  // Only what `imageFormat` lets through is decoded; should something else come so far, there is no decoder for it.
  decode.block({ operation: ['VipsForeignLoad'] });
  decode.unblock({ operation: ['Jpeg', 'Png', 'Webp', 'Heif'].map((name) => `VipsForeignLoad${name}Buffer`) });
  return decode;
}

async function compress(
  decode: Decode,
  source: Uint8Array,
  { width, quality }: CompressOptions,
): Promise<CompressedImage> {
  const format = imageFormat(source);
  if (!format) throw refused(`the file is ${refusedFormat(source) ?? 'not an image'}; ${TAKEN}`);
  // Not limited: the header alone is read, and an image with too many pixels is to be refused with their number.
  const metadata = await decoding(() => decode(source, { ...INPUT, limitInputPixels: false }).metadata());
  checkBearable(metadata, source);
  const { autoOrient: before } = metadata;

  const { data, info } = await decoding(() =>
    encode(decode(source, INPUT).autoOrient(), format, quality)
      .resize({ width, withoutEnlargement: true })
      .timeout({ seconds: LIMIT_S })
      .toBuffer({ resolveWithObject: true }),
  );
  const isSameSize = info.width === before.width && info.height === before.height;
  if (isSameSize && data.length >= source.length && isPlain(metadata))
    return { bytes: source, format, ...before, before };
  return { bytes: data, format, width: info.width, height: info.height, before };
}

const TAKEN = 'only JPEG, PNG, WebP and AVIF images are compressed';

function encode(image: Sharp, format: ImageFormat, quality: number): Sharp {
  switch (format) {
    case 'jpeg':
      return image.jpeg({ quality, mozjpeg: true });
    case 'png':
      // A quality makes a palette of at most 256 colours; the best one keeps every colour.
      return image.png({ compressionLevel: 9, ...(quality < 100 && { quality, effort: 4 }) });
    case 'webp':
      return image.webp({ quality });
    case 'avif':
      // The default effort takes seven times as long, a minute for 12 megapixels; full colour, half as much memory again.
      return image.avif({ quality, effort: 2, chromaSubsampling: '4:2:0' });
  }
}

function checkBearable({ width, height, pages = 1 }: Metadata, source: Uint8Array): void {
  if (width * height > MAX_PIXELS || Math.max(width, height) > MAX_SIDE_PX) {
    throw refused(
      `the image has ${width} × ${height} pixels; at most ${MAX_PIXELS / 1_000_000} million and ${MAX_SIDE_PX} a side are decoded`,
    );
  }
  if (pages > 1 || (imageFormat(source) === 'png' && isAnimatedPng(source))) {
    throw refused('the image is animated, and only still images are compressed');
  }
}

/** Nothing is in the file but the picture, and that the right way up. */
function isPlain({ exif, icc, iptc, xmp, tifftagPhotoshop, comments, orientation = 1 }: Metadata): boolean {
  return !exif && !icc && !iptc && !xmp && !tifftagPhotoshop && !comments && orientation === 1;
}

/** Whatever the decoder has against a file lies in the file, and will not go away. */
async function decoding<T>(decode: () => Promise<T>): Promise<T> {
  try {
    return await decode();
  } catch (cause) {
    const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    if (/^timeout\b/i.test(reason)) {
      throw new HandlerError('timeout', `the image took longer than ${LIMIT_S} s to compress`, { cause });
    }
    throw refused(`the image is damaged: ${reason.slice(0, 200)}`, cause);
  }
}

function refused(message: string, cause?: unknown): PermanentError {
  return new PermanentError(message, { code: 'invalid_payload', cause });
}
