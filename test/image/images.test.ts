import { type CompressOptions, type ImageFormat, PermanentError } from '@jobline/handlers';
import { createImages } from '@jobline/providers';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { computeProcesses, cpuTimeOf, until } from '../harness/index.js';
import { animatedPng, bombPng, photo, slowPng } from './samples.js';

const images = createImages({ atOnce: 2 });
afterAll(() => images.close());
const FORMATS: ImageFormat[] = ['jpeg', 'png', 'webp', 'avif'];

describe.each(FORMATS)('%s', (format) => {
  test('keeps its format and gets smaller at a smaller width', async () => {
    const source = await photo(900, 600)[format]({ quality: 95 }).toBuffer();

    const image = await compress(source, { width: 300 });

    expect(image).toMatchObject({ format, width: 300, height: 200, before: { width: 900, height: 600 } });
    expect(image.bytes.length).toBeLessThan(source.length / 2);
    expect(await sharp(image.bytes).metadata()).toMatchObject({
      format: format === 'avif' ? 'heif' : format,
      width: 300,
      height: 200,
    });
  });

  test('is never enlarged', async () => {
    const source = await photo(200, 100)[format]().toBuffer();

    expect(await compress(source, { width: 1_000 })).toMatchObject({ width: 200, height: 100 });
  });

  test('is smaller at a lower quality', async () => {
    const source = await photo(400, 300)[format]({ quality: 99 }).toBuffer();

    const [good, poor] = [await compress(source, { quality: 90 }), await compress(source, { quality: 20 })];

    expect(poor.bytes.length).toBeLessThan(good.bytes.length);
  });

  // Half a picture would be stored as if it were complete.
  test.each([0.2, 0.5, 0.9])('is rejected as damaged if it is cut off after a fraction of %f', async (part) => {
    const source = await photo(400, 300)[format]({ quality: 90 }).toBuffer();

    await expectRejected(compress(source.subarray(0, Math.floor(source.length * part))), /damaged/);
  });

  test('is rejected as damaged if only its first bytes exist', async () => {
    const source = await photo(40, 30)[format]().toBuffer();

    await expectRejected(compress(source.subarray(0, 32)), /damaged/);
  });
});

test.each(FORMATS)('an image of any format becomes %s, and JPEG shows what is transparent as white', async (format) => {
  for (const from of FORMATS) {
    const source = await photo(300, 200)[from]().toBuffer();
    expect(await compress(source, { width: 150, format })).toMatchObject({ format, width: 150, height: 100 });
  }
  const clear = { width: 8, height: 8, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } as const;
  const { bytes } = await compress(await sharp({ create: clear }).png().toBuffer(), { format: 'jpeg' });
  expect((await sharp(bytes).stats()).channels.map(({ mean }) => Math.round(mean))).toEqual([255, 255, 255]);
});

describe('metadata of an image', () => {
  test('is removed, and the orientation is applied to the picture', async () => {
    const source = await photo(400, 200)
      .jpeg()
      .withMetadata({ orientation: 6 })
      .withExif({ IFD0: { Artist: 'Ada' } })
      .toBuffer();
    expect(source.toString('latin1')).toContain('Ada');

    const image = await compress(source);

    expect(image).toMatchObject({ width: 200, height: 400, before: { width: 200, height: 400 } });
    const metadata = await sharp(image.bytes).metadata();
    expect(metadata.exif).toBeUndefined();
    expect(metadata.orientation).toBeUndefined();
  });

  // Privacy is more important than size: the original is smaller, but contains the place where it was taken.
  test('is removed even if that does not make the file smaller', async () => {
    const source = await photo(400, 300)
      .jpeg({ quality: 30 })
      .withExif({ IFD0: { Artist: 'Ada' } })
      .toBuffer();

    const image = await compress(source, { quality: 100 });

    expect(image.bytes.length).toBeGreaterThan(source.length);
    expect(Buffer.from(image.bytes).toString('latin1')).not.toContain('Ada');
  });
});

test('an image that re-encoding would make larger is returned unchanged', async () => {
  const source = await photo(300, 200).jpeg({ quality: 30 }).toBuffer();

  const image = await compress(source, { quality: 95 });

  expect(Buffer.from(image.bytes).equals(source)).toBe(true);
  expect(image).toMatchObject({ width: 300, height: 200, format: 'jpeg' });
});

describe('rejected with a message, without being decoded, is', () => {
  const unsupported = (what: string) => `the file is ${what}; only JPEG, PNG, WebP and AVIF images can be compressed`;

  test.each([
    ['an SVG image', '<?xml version="1.0"?><!-- x --><svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a GIF image', 'GIF89a\x01\0\x01\0\0\0\0;'],
    ['a TIFF image', 'II*\0\x08\0\0\0'],
    ['a BMP image', 'BM\x36\0\0\0'],
    ['a web page', '<!DOCTYPE html><title>not found</title>'],
    ['a PDF', '%PDF-1.7\n'],
    ['a HEIC image', '\0\0\0\x18ftypheic\0\0\0\0mif1heic'],
    ['not an image', 'hello'],
    ['not an image', ''],
  ])('%s', async (what, text) => {
    await expectRejected(compress(Buffer.from(text, 'latin1')), unsupported(what));
  });

  test('an SVG image with an unusual beginning', async () => {
    await expectRejected(compress(Buffer.from('\n <svg onload="x()">')), unsupported('an SVG image'));
  });

  // A few KiB that would decode to gigabytes.
  test.each([
    ['20000 × 20000', 20_000, 20_000],
    ['60000 × 1', 60_000, 1],
    ['1 × 60000', 1, 60_000],
  ])('a bomb of %s pixels', async (pixels, width, height) => {
    const bomb = bombPng(width, height);
    expect(bomb.length).toBeLessThan(2 * 1024 * 1024);

    await expectRejected(compress(bomb), `the image has ${pixels} pixels`);
  });

  test('an animated WebP', async () => {
    const frames = await Promise.all([1, 2].map(() => photo(20, 20).png().toBuffer()));
    const animation = await sharp(frames, { join: { animated: true } })
      .webp()
      .toBuffer();

    await expectRejected(compress(animation), 'the image is animated');
  });

  test('an animated PNG', async () => {
    const still = await photo(20, 20).png().toBuffer();

    await expectRejected(compress(animatedPng(still)), 'the image is animated');
  });
});

test('a canceled image leaves no busy process, and another image is still processed', async () => {
  const source = await slowPng();
  const ending = new AbortController();
  const before = new Set(computeProcesses().map(({ pid }) => pid));
  const other = compress(await photo(200, 100).jpeg().toBuffer());
  const made = compress(source, { signal: ending.signal });
  const working = await until('a process to decode the image', () =>
    computeProcesses().find(({ pid, cpuMs }) => !before.has(pid) && cpuMs > 1_000),
  );
  ending.abort(new Error('stop'));

  await expect(made).rejects.toThrow('stop');
  await until('its process to be gone', () => !computeProcesses().some(({ pid }) => pid === working.pid));
  expect(await other).toMatchObject({ width: 200 });
});

test('an image is decoded outside the calling process', async () => {
  const source = await photo(600, 400).resize(3_000).jpeg().toBuffer();
  await compress(source, { width: 100 });

  // Decoding takes half a second of CPU time; sending the image to another process takes a few milliseconds.
  expect(await cpuTimeOf(() => compress(source, { width: 2_900 }))).toBeLessThan(200);
});

function compress(source: Uint8Array, options: Partial<CompressOptions> = {}) {
  return images.compress(source, { quality: 80, signal: new AbortController().signal, ...options });
}

async function expectRejected(work: Promise<unknown>, message: string | RegExp): Promise<void> {
  const error = await work.then(
    () => 'nothing was thrown',
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PermanentError);
  expect(error).toMatchObject({ code: 'invalid_payload', message: expect.stringMatching(message) });
}
