import type { ImageFormat } from '@jobline/handlers/ports';

/** Detects the format from the first bytes; null if it is not one of the formats that are decoded. */
export function imageFormat(bytes: Uint8Array): ImageFormat | null {
  const has = (text: string, at: number) => latin1(bytes, at, at + text.length) === text;
  if (has('\xff\xd8\xff', 0)) return 'jpeg';
  if (has('\x89PNG\r\n\x1a\n', 0)) return 'png';
  if (has('RIFF', 0) && has('WEBP', 8)) return 'webp';
  return brands(bytes).some((brand) => brand === 'avif' || brand === 'avis') ? 'avif' : null;
}

/** The name of a known format that is not supported, for the error message; null for anything else. */
export function unsupportedFormat(bytes: Uint8Array): string | null {
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
export function isAnimatedPng(bytes: Uint8Array): boolean {
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
