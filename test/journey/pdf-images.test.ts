import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createWorld,
  linesOf,
  type Person,
  type Receiver,
  type Replies,
  register,
  runToEnd,
  type Story,
  type World,
} from '../harness/index.js';
import { photo } from '../image/samples.js';
import { type ReadPdf, readPdf } from '../pdf/pdf-reader.js';

let world: World;
let person: Person;
/** The only host that the outbound guard allows, and its responses. */
let files: Receiver;
let reply: Replies;

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
  files = await world.receiver((request, n) => reply(request, n));
  await world.worker({ allowHosts: [files.host] });
});
afterAll(() => world.end());

const generate = (template: string, data?: object, more?: object) =>
  runToEnd(person, 'generate_pdf', { template, ...(data && { data }) }, more);

async function openPdf({ job, result, logs }: Story): Promise<ReadPdf> {
  expect(job.status, JSON.stringify([result.error, logs])).toBe('done');
  const [artifact] = (await person.get(`/jobs/${job.id}/artifacts`)).body;
  return readPdf((await person.get(artifact.url)).bytes);
}

const types = ['image/png', 'binary/octet-stream', 'application/octet-stream', 'image/svg+xml', undefined];
it.each(types)('images of type %s are downloaded by the service, through the guard, and printed', async (type) => {
  const picture = await photo(60, 40).png().toBuffer();
  reply = () => ({ body: picture, headers: type === undefined ? {} : { 'content-type': type } });
  files.received.length = 0;
  const story = await generate('<img src="{{ logo }}"><img src="{{ logo }}">', { logo: `${files.url}/logo.png` });

  expect((await openPdf(story)).pictures).toBe(2);
  expect(files.received).toMatchObject([
    { path: '/logo.png', headers: { 'user-agent': expect.stringMatching(/^Jobline\//) } },
  ]);
});

it('images are recognized by their bytes in each format, whatever their type says', async () => {
  const picture = photo(60, 40);
  const svg = Buffer.from(
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><text y="9">drawn</text></svg>',
  );
  const served: [type: string | undefined, body: Buffer][] = [
    ['binary/octet-stream', await picture.jpeg().toBuffer()],
    ['application/octet-stream', await picture.gif().toBuffer()],
    [undefined, await picture.webp().toBuffer()],
    ['application/x-download', await picture.avif().toBuffer()],
    ['text/html; charset=utf-8', await picture.png().toBuffer()],
    ['application/json', await picture.jpeg({ progressive: true }).toBuffer()],
    ['not a type', await picture.png({ palette: true }).toBuffer()],
    ['image/jpeg', await picture.webp({ lossless: true }).toBuffer()],
    ['binary/octet-stream', svg],
  ];
  reply = ({ path }) => {
    const [type, body = svg] = served[Number(path.slice(1))] ?? [];
    return { body, headers: type === undefined ? {} : { 'content-type': type } };
  };

  const story = await generate(served.map((_, n) => `<img src="${files.url}/${n}">`).join(''));

  expect(await openPdf(story)).toMatchObject({ pages: ['drawn'], pictures: served.length - 1 });
  expect(linesOf(story).filter((line) => line.includes('left out'))).toEqual([]);
});

it('images at a forbidden address fail the job, and that address gets no request', async () => {
  const inside = await world.receiver();
  const story = await generate(`<img src="${inside.url}/secret.png">`, {}, { max_retries: 3 });

  expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
  expect(story.result.error.code).toBe('outbound_forbidden');
  expect(inside.received).toEqual([]);
});

it('missing images are left out of a PDF, and the log says so', async () => {
  reply = () => ({ status: 404 });
  const story = await generate(`<p>text</p><img src="${files.url}/a.png">`);

  expect(await openPdf(story)).toMatchObject({ pages: ['text'], pictures: 0 });
  expect(linesOf(story)).toContain(`1 warn left out: image ${files.url}/a.png (${files.host} answered 404)`);
});
