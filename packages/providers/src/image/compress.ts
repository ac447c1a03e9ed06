import { PermanentError } from '@jobline/handlers/errors';
import type { CompressedImage, CompressOptions, ImageFormat } from '@jobline/handlers/ports';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { imageFormat, isAnimatedPng, refusedFormat } from './format.js';

/** Of an image as it comes, so that a file of a few KiB cannot ask for gigabytes. */
const MAX_PIXELS = 50_000_000;
/** AVIF takes almost three times as much memory per pixel: every image that is decoded needs at most some 530 MB. */
const MAX_AVIF_PIXELS = 20_000_000;
/** What every format can have. */
const MAX_SIDE_PX = 16_383;
/** Of what is made: as much as a job can keep as a file. */
const MAX_RESULT_BYTES = 25 * 1024 * 1024;

const INPUT = { limitInputPixels: MAX_PIXELS, sequentialRead: true, failOn: 'error' } as const;

export interface CompressRequest extends Pick<CompressOptions, 'width' | 'quality'> {
  source: Uint8Array;
}

/** The bytes are null where the source is to be kept as it is: they would only be copied. */
export type CompressResult = Omit<CompressedImage, 'bytes'> & { bytes: Uint8Array | null };

// One image at a time, by one thread, and nothing of it stays in memory.
sharp.concurrency(1);
sharp.cache(false);
// Only what `imageFormat` lets through is decoded; should something else come so far, there is no decoder for it.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp', 'Heif'].map((name) => `VipsForeignLoad${name}Buffer`) });

/** Makes an image smaller, as the port says. It has no limit of time: its process can be killed. */
export async function compressImage({ source, width, quality }: CompressRequest): Promise<CompressResult> {
  const format = imageFormat(source);
  if (!format) throw refused(`the file is ${refusedFormat(source) ?? 'not an image'}; ${TAKEN}`);
  // Not limited: the header alone is read, and an image with too many pixels is to be refused with their number.
  const metadata = await decoding(() => sharp(source, { ...INPUT, limitInputPixels: false }).metadata());
  checkBearable(metadata, source, format);
  const { autoOrient: before } = metadata;

  const { data, info } = await decoding(() =>
    encode(sharp(source, INPUT).autoOrient(), format, quality)
      .resize({ width, withoutEnlargement: true })
      .toBuffer({ resolveWithObject: true }),
  );
  const isSameSize = info.width === before.width && info.height === before.height;
  if (isSameSize && data.length >= source.length && isPlain(metadata))
    return { bytes: null, format, ...before, before };
  if (data.length > MAX_RESULT_BYTES) {
    throw refused(`the image has ${data.length} bytes once it is compressed; at most ${MAX_RESULT_BYTES} can be kept`);
  }
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

function checkBearable({ width, height, pages = 1 }: Metadata, source: Uint8Array, format: ImageFormat): void {
  const maxPixels = format === 'avif' ? MAX_AVIF_PIXELS : MAX_PIXELS;
  if (width * height > maxPixels || Math.max(width, height) > MAX_SIDE_PX) {
    throw refused(
      `the image has ${width} × ${height} pixels; at most ${maxPixels / 1_000_000} million and ${MAX_SIDE_PX} a side are decoded`,
    );
  }
  if (pages > 1 || (format === 'png' && isAnimatedPng(source))) {
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
    throw refused(`the image is damaged: ${reason.slice(0, 200)}`, cause);
  }
}

function refused(message: string, cause?: unknown): PermanentError {
  return new PermanentError(message, { code: 'invalid_payload', cause });
}
