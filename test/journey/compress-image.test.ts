import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  linesOf,
  type Person,
  type Reply,
  register,
  runToEnd,
  type Story,
  type TestApi,
  type World,
} from '../harness/index.js';
import { bombPng, photo } from '../image/samples.js';

let world: World;
let api: TestApi;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterEach(() => world.end());

/** Runs a job for the file that a local server serves under a neutral name. */
async function compress(reply: Reply, more: object = {}, submission: object = {}): Promise<Story> {
  const files = await world.receiver(() => reply);
  await world.worker({ allowHosts: [files.host] });
  return runToEnd(person, 'compress_image', { url: `${files.url}/file?token=s3cret`, ...more }, submission);
}

it('a photo is downloaded, made smaller and saved', async () => {
  const source = await photo(1_600, 1_200).jpeg({ quality: 95 }).toBuffer();

  const story = await compress(
    { body: source, headers: { 'content-type': 'image/jpeg' } },
    { width: 400, quality: 70 },
  );

  expect(story.job.status, linesOf(story).join('\n')).toBe('done');
  const { result } = story.result;
  expect(result).toMatchObject({ artifact: 'compressed-400.jpg', format: 'jpeg', width: 400, height: 300 });
  expect(result.size_before).toBe(source.length);
  expect(result.size_after).toBeLessThan(source.length / 4);
  const [artifact] = (await person.get(`/jobs/${story.job.id}/artifacts`)).body;
  expect(artifact).toMatchObject({ name: 'compressed-400.jpg', content_type: 'image/jpeg', size: result.size_after });
  const { bytes } = await person.get(artifact.url);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(artifact.sha256);
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 400, height: 300 });
  expect(linesOf(story).join('\n')).not.toContain('s3cret');
});

it('the format of a file is detected by its bytes, not by its content type', async () => {
  const story = await compress({
    body: await photo(100, 80).webp().toBuffer(),
    headers: { 'content-type': 'image/jpeg' },
  });

  expect(story.result.result).toMatchObject({ artifact: 'compressed.webp', format: 'webp' });
});

describe('an image job that fails', () => {
  it.each<[string, () => Promise<Reply>, string]>([
    ['a bomb', async () => ({ body: bombPng(20_000, 20_000) }), 'the image has 20000 × 20000 pixels'],
    [
      'an SVG',
      async () => ({ body: '<svg xmlns="http://www.w3.org/2000/svg"/>', headers: { 'content-type': 'image/png' } }),
      'the file is an SVG image',
    ],
    [
      'half a file',
      async () => ({ body: (await photo(300, 300).png().toBuffer()).subarray(0, 9_000) }),
      'the image is damaged',
    ],
    ['a file of 26 MiB', async () => ({ body: Buffer.alloc(26 * 1024 * 1024) }), 'is larger than the limit of 25 MiB'],
    ['nothing', async () => ({ body: '' }), 'the file is not an image'],
  ])(
    'an image job fails without a retry, with a clear message and without a file, for %s',
    async (_what, reply, message) => {
      const story = await compress(await reply(), {}, { max_retries: 3 });

      expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
      expect(story.result.error).toMatchObject({ code: 'invalid_payload', message: expect.stringContaining(message) });
      expect((await person.get(`/jobs/${story.job.id}/artifacts`)).body).toEqual([]);
    },
  );
});

it('a redirect to a private address is refused, and that address gets no request', async () => {
  const inside = await world.receiver();
  const story = await compress(
    { status: 302, headers: { location: `${inside.url}/secret.jpg` } },
    {},
    { max_retries: 3 },
  );

  expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
  expect(story.result.error.code).toBe('outbound_forbidden');
  expect(inside.received).toEqual([]);
});

it('a download that the server interrupts is retried', async () => {
  const source = await photo(200, 200).jpeg().toBuffer();
  const files = await world.receiver((_, n) => ({
    body: source,
    headers: n === 1 ? { 'content-length': '999999' } : {},
  }));
  await world.worker({ allowHosts: [files.host] });

  const story = await runToEnd(person, 'compress_image', { url: files.url }, { max_retries: 1 });

  expect(story.job).toMatchObject({ status: 'done', retries: 1 });
});

it('a payload is checked when it is submitted', async () => {
  const answer = await person.post('/jobs', { type: 'compress_image', payload: { url: 'x', width: 0, quality: 101 } });

  expect(answer.status).toBe(400);
  expect(answer.body.error.details.map(({ path }: { path: string }) => path)).toEqual([
    'payload.url',
    'payload.width',
    'payload.quality',
  ]);
});
