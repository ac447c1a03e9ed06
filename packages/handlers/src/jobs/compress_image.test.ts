import { describe, expect, test } from 'vitest';
import { type Artifact, artifactIssue } from '../define-handler.js';
import { PermanentError } from '../errors.js';
import { issuesOf } from '../payload.js';
import type { CompressedImage, CompressOptions, ImageFormat, OutboundRequest, Ports } from '../ports/index.js';
import { type LogLine, runHandler } from '../testing.js';
import { compressImage } from './compress_image.js';

const URL = 'https://photos.example/cat.png?token=s3cret';
const SOURCE = Buffer.alloc(5_000, 'source');

describe('compress_image', () => {
  test('downloads at most 25 MiB and passes on width and quality', async () => {
    const { signal } = new AbortController();

    const { request, compressed } = await run({ url: URL, width: 640, quality: 55 }, { signal });

    expect(request).toMatchObject({ url: URL, method: 'GET', maxBytes: 25 * 1024 * 1024, signal });
    expect(compressed).toEqual({ source: SOURCE, width: 640, quality: 55, format: undefined, signal });
  });

  test('keeps the width and uses a quality of 80 by default', async () => {
    const { compressed } = await run({ url: URL });

    expect(compressed).toMatchObject({ width: undefined, quality: 80 });
  });

  test('stores the image as an artifact and returns both sizes', async () => {
    const { result, artifacts } = await run({ url: URL });

    expect(artifacts).toEqual([{ name: 'compressed.jpg', contentType: 'image/jpeg', bytes: IMAGE.bytes }]);
    expect(result).toEqual({
      artifact: 'compressed.jpg',
      format: 'jpeg',
      width: 640,
      height: 480,
      size_before: 5_000,
      size_after: 1_200,
    });
  });

  test.each<[ImageFormat, string]>([
    ['png', 'compressed.png'],
    ['webp', 'compressed.webp'],
    ['avif', 'compressed.avif'],
  ])('names the artifact after its format, %s', async (format, name) => {
    const { artifacts, result } = await run({ url: URL }, { image: { ...IMAGE, format } });

    expect(result).toMatchObject({ artifact: name, format });
    expect(artifacts).toMatchObject([{ name, contentType: `image/${format}` }]);
    expect(artifacts.map(artifactIssue)).toEqual([null]);
  });

  test.each([
    [{ width: 320 }, 'compressed-320.jpg'],
    [{ width: 320, filename: 'small cat.jpg' }, 'small cat.jpg'],
    [{ filename: 'cat' }, 'cat'],
  ])('names the artifact of a payload with %j %s', async (more, name) => {
    const { artifacts, result } = await run({ url: URL, ...more });

    expect(artifacts).toMatchObject([{ name }]);
    expect(result).toMatchObject({ artifact: name });
  });

  test.each([
    [{}, ['compressed-640.jpg', 'compressed-320.jpg']],
    [{ filename: 'my.cat.png' }, ['my.cat-640.jpg', 'my.cat-320.jpg']],
    [{ filename: '.cat' }, ['.cat-640.jpg', '.cat-320.jpg']],
    [{ filename: 'c'.repeat(200) }, [`${'c'.repeat(192)}-640.jpg`, `${'c'.repeat(192)}-320.jpg`]],
  ])('makes an image of each width of one download: with %j', async (more, names) => {
    const { artifacts, result, last } = await run({ url: URL, widths: [640, 320], format: 'jpeg', ...more });

    expect(artifacts.map(({ name }) => name)).toEqual(names);
    expect(artifacts.map(artifactIssue)).toEqual([null, null]);
    expect(last).toMatchObject({ width: 320, format: 'jpeg' });
    const images = names.map((artifact) => ({ artifact, width: 640, height: 480, size_after: 1_200 }));
    expect(result).toEqual({ ...images[0], format: 'jpeg', size_before: 5_000, images });
  });

  test('logs its steps without the query of the URL', async () => {
    const { logs } = await run({ url: URL });

    expect(logs).toEqual([
      { level: 'info', message: 'GET https://photos.example/cat.png' },
      { level: 'info', message: '1280 × 960, 5000 bytes → jpeg, 640 × 480, 1200 bytes' },
    ]);
  });

  test('stores nothing if it fails', async () => {
    const artifacts: Artifact[] = [];

    await expect(run({ url: URL }, { image: new PermanentError('an SVG'), artifacts })).rejects.toThrow('an SVG');

    expect(artifacts).toEqual([]);
  });
});

describe('the payload of compress_image', () => {
  test.each([
    { url: URL },
    { url: URL, width: 1, quality: 1 },
    { url: URL, width: 16_383, quality: 100, unknown: 'kept' },
  ])('can be %j', (payload) => {
    expect(issuesOf(compressImage, payload)).toEqual([]);
  });

  test.each([
    [{}, 'payload.url'],
    [{ url: 'ftp://photos.example/' }, 'payload.url'],
    [{ url: 'https://a:b@photos.example/' }, 'payload.url'],
    [{ url: URL, width: 0 }, 'payload.width'],
    [{ url: URL, width: 1.5 }, 'payload.width'],
    [{ url: URL, width: '640' }, 'payload.width'],
    [{ url: URL, width: 16_384 }, 'payload.width'],
    [{ url: URL, width: null }, 'payload.width'],
    [{ url: URL, width: 640, widths: [320] }, 'payload.widths'],
    [{ url: URL, widths: [] }, 'payload.widths'],
    [{ url: URL, widths: [1, 2, 3, 4, 5, 6] }, 'payload.widths'],
    [{ url: URL, widths: [320, 320] }, 'payload.widths[1]'],
    [{ url: URL, format: 'gif' }, 'payload.format'],
    [{ url: URL, quality: 0 }, 'payload.quality'],
    [{ url: URL, quality: 101 }, 'payload.quality'],
    [{ url: URL, filename: 'a/b.jpg' }, 'payload.filename'],
  ])('must not be %j', (payload, path) => {
    expect(issuesOf(compressImage, payload).map((issue) => issue.path)).toEqual([path]);
  });
});

const IMAGE: CompressedImage = {
  bytes: new Uint8Array(1_200),
  format: 'jpeg',
  width: 640,
  height: 480,
  before: { width: 1_280, height: 960 },
};

interface Given {
  image?: CompressedImage | Error;
  signal?: AbortSignal;
  artifacts?: Artifact[];
}

async function run(payload: Parameters<typeof compressImage.run>[0], { image = IMAGE, ...options }: Given = {}) {
  const requests: OutboundRequest[] = [];
  const compressed: (CompressOptions & { source: Uint8Array })[] = [];
  const logs: LogLine[] = [];
  const ports: Partial<Ports> = {
    outbound: {
      async request(request) {
        requests.push(request);
        return { status: 200, headers: {}, body: SOURCE, cut: false };
      },
    },
    images: {
      async compress(source, given) {
        compressed.push({ source, ...given });
        if (image instanceof Error) throw image;
        return image;
      },
    },
  };
  const ran = await runHandler(compressImage, payload, { ...options, ports, logs });
  return { ...ran, request: requests[0], compressed: compressed[0], last: compressed.at(-1) };
}
