import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/** An image with smooth areas and fine grain, like a photo. */
export function photo(width: number, height: number): Sharp {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  return sharp({ create: { width, height, channels: 3, background: '#000', noise } }).blur(1.5);
}

/** A PNG of 24 million pixels and 24 MB. It is created quickly, but compressing it takes seconds of CPU time. */
export function slowPng(): Promise<Buffer> {
  return photo(600, 400).resize(6_000, null, { kernel: 'nearest' }).png({ compressionLevel: 1 }).toBuffer();
}

/** A valid PNG of one color, with one bit or less per pixel. */
export function bombPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0], 8); // one bit per pixel, grayscale
  const rows = Buffer.alloc(height * (1 + Math.ceil(width / 8)));
  return png(chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND'));
}

/** A PNG that declares two frames. */
export function animatedPng(still: Buffer): Buffer {
  const headerEnd = 8 + 25;
  return Buffer.concat([
    still.subarray(0, headerEnd),
    chunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])),
    still.subarray(headerEnd),
  ]);
}

function png(...chunks: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

function chunk(name: string, data = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), 4 + body.length);
  return framed;
}
