import { PermanentError } from '@jobline/handlers/errors';
import type { CompressedImage, CompressOptions, ImageFormat } from '@jobline/handlers/ports';
import sharp, { type Metadata, type Sharp } from 'sharp';

/** The limit for a source image. A file of a few KiB must not require gigabytes. */
const MAX_PIXELS = 50_000_000;
/**
 * AVIF needs almost three times as much memory per pixel. With these limits, decoding any image needs at most about 530
 * MB.
 */
const MAX_AVIF_PIXELS = 20_000_000;
/** The largest side that every format supports. */
const MAX_SIDE_PX = 16_383;
/** The limit for the result: the maximum size of an artifact. */
const MAX_RESULT_BYTES = 25 * 1024 * 1024;

const INPUT = { limitInputPixels: MAX_PIXELS, sequentialRead: true, failOn: 'error' } as const;

export interface CompressRequest extends Pick<CompressOptions, 'width' | 'quality' | 'format'> {
  source: Uint8Array;
}

/** `bytes` is null if the source is to be kept unchanged. Returning it would only copy it. */
export type CompressResult = Omit<CompressedImage, 'bytes'> & { bytes: Uint8Array | null };

// One image at a time in one thread, and nothing is cached.
sharp.concurrency(1);
sharp.cache(false);
// Only the formats of `imageFormat` are decoded. All other decoders are blocked as a second barrier.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp', 'Heif'].map((name) => `VipsForeignLoad${name}Buffer`) });

/** Compresses an image as the port describes. There is no time limit, because its process can be killed. */
export async function compressImage({ source, width, quality, ...wanted }: CompressRequest): Promise<CompressResult> {
  const own = imageFormat(source);
  if (!own) throw invalidImage(`the file is ${unsupportedFormat(source) ?? 'not an image'}; ${SUPPORTED}`);
  // No pixel limit here: only the header is read, and the message for an image with too many pixels names their number.
  const metadata = await decoding(() => sharp(source, { ...INPUT, limitInputPixels: false }).metadata());
  const { format = own } = wanted;
  checkLimits(metadata, source, own);
  const { autoOrient: before } = metadata;
  const share = Math.min(1, (width ?? before.width) / before.width);
  checkPixels(before.width * share, before.height * share, format);

  const { data, info } = await decoding(() =>
    encode(sharp(source, INPUT).autoOrient(), format, quality)
      .resize({ width, withoutEnlargement: true })
      .toBuffer({ resolveWithObject: true }),
  );
  const isSameSize = info.width === before.width && info.height === before.height;
  if (format === own && isSameSize && data.length >= source.length && isPlain(metadata))
    return { bytes: null, format, ...before, before };
  if (data.length > MAX_RESULT_BYTES) {
    throw invalidImage(`the compressed image has ${data.length} bytes; the limit is ${MAX_RESULT_BYTES}`);
  }
  return { bytes: data, format, width: info.width, height: info.height, before };
}

const SUPPORTED = 'only JPEG, PNG, WebP and AVIF images can be compressed';

function encode(image: Sharp, format: ImageFormat, quality: number): Sharp {
  switch (format) {
    case 'jpeg':
      // JPEG has no transparency.
      return image.flatten({ background: 'white' }).jpeg({ quality, mozjpeg: true });
    case 'png':
      // `quality` creates a palette of at most 256 colors. At 100, every color is kept.
      return image.png({ compressionLevel: 9, ...(quality < 100 && { quality, effort: 4 }) });
    case 'webp':
      return image.webp({ quality });
    case 'avif':
      // The default effort takes seven times as long, a minute for 12 megapixels. Full chroma needs half as much memory
      // again.
      return image.avif({ quality, effort: 2, chromaSubsampling: '4:2:0' });
  }
}

function checkLimits({ width, height, pages = 1 }: Metadata, source: Uint8Array, format: ImageFormat): void {
  checkPixels(width, height, format);
  if (pages > 1 || (format === 'png' && isAnimatedPng(source))) {
    throw invalidImage('the image is animated; only still images can be compressed');
  }
}

/** Decoding and encoding need about the same memory. */
function checkPixels(width: number, height: number, format: ImageFormat): void {
  const maxPixels = format === 'avif' ? MAX_AVIF_PIXELS : MAX_PIXELS;
  if (width * height <= maxPixels && Math.max(width, height) <= MAX_SIDE_PX) return;
  throw invalidImage(
    `the image has ${Math.round(width)} × ${Math.round(height)} pixels; the limit for ${format} is ` +
      `${maxPixels / 1_000_000} million pixels and ${MAX_SIDE_PX} per side`,
  );
}

/** Whether the file has no metadata and the image needs no rotation. */
function isPlain({ exif, icc, iptc, xmp, tifftagPhotoshop, comments, orientation = 1 }: Metadata): boolean {
  return !exif && !icc && !iptc && !xmp && !tifftagPhotoshop && !comments && orientation === 1;
}

/** Every error of the decoder is caused by the file, so a retry fails in the same way. */
async function decoding<T>(decode: () => Promise<T>): Promise<T> {
  try {
    return await decode();
  } catch (cause) {
    const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    throw invalidImage(`the image is damaged: ${reason.slice(0, 200)}`, cause);
  }
}

function invalidImage(message: string, cause?: unknown): PermanentError {
  return new PermanentError(message, { code: 'invalid_payload', cause });
}

/** Detects the format from the first bytes; null if it is not one of the formats that are decoded. */
function imageFormat(bytes: Uint8Array): ImageFormat | null {
  const has = (text: string, at: number) => latin1(bytes, at, at + text.length) === text;
  if (has('\xff\xd8\xff', 0)) return 'jpeg';
  if (has('\x89PNG\r\n\x1a\n', 0)) return 'png';
  if (has('RIFF', 0) && has('WEBP', 8)) return 'webp';
  return brands(bytes).some((brand) => brand === 'avif' || brand === 'avis') ? 'avif' : null;
}

/** The name of a known format that is not supported, for the error message; null for anything else. */
function unsupportedFormat(bytes: Uint8Array): string | null {
  const start = latin1(bytes, 0, 1024);
  if (/^GIF8[79]a/.test(start)) return 'a GIF image';
  if (/^(II\*\0|MM\0\*)/.test(start)) return 'a TIFF image';
  if (start.startsWith('BM')) return 'a BMP image';
  if (brands(bytes).some((brand) => /^(heic|heix|mif1|msf1)$/.test(brand))) return 'a HEIC image';
  if (/<svg[\s>]/i.test(start)) return 'an SVG image';
  if (/<(!doctype html|html)[\s>]/i.test(start)) return 'a web page';
  if (start.startsWith('%PDF-')) return 'a PDF';
  return null;
}

const MAX_CHUNKS = 1_000;

/** Whether a PNG has more than one frame. Its decoder does not report this. */
function isAnimatedPng(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Chunks consist of length, name, data and checksum. The animation chunk must come before the first image data.
  for (let at = 8, n = 0; at + 8 <= bytes.length && n < MAX_CHUNKS; at += view.getUint32(at) + 12, n++) {
    const name = latin1(bytes, at + 4, at + 8);
    if (name === 'acTL') return true;
    if (name === 'IDAT') return false;
  }
  return false;
}

/** The brands of an ISO media file. AVIF is such a file. */
function brands(bytes: Uint8Array): string[] {
  if (latin1(bytes, 4, 8) !== 'ftyp' || bytes.length < 16) return [];
  const sizeBytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  const list = latin1(bytes, 16, Math.min(sizeBytes, 256));
  return [latin1(bytes, 8, 12), ...(list.match(/.{4}/gs) ?? [])];
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.subarray(start, end)).toString('latin1');
}
