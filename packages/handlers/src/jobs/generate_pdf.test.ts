import type { JsonObject } from '@jobline/contracts';
import { describe, expect, test } from 'vitest';
import { type Artifact, artifactIssue } from '../define-handler.js';
import { OutboundForbidden, PermanentError } from '../errors.js';
import { issuesOf } from '../payload.js';
import type { OutboundResponse, Pdf, PdfRequest, Ports } from '../ports/index.js';
import { type LogLine, runHandler } from '../testing.js';
import { generatePdf } from './generate_pdf.js';

const INLINE = '<h1>{{ name }}</h1>';

describe('generate_pdf', () => {
  test('fills inline HTML with its data, renders it and stores it', async () => {
    const { signal } = new AbortController();

    const { result, artifacts, filled, printed } = await run({ template: INLINE, data: { name: 'Ada' } }, { signal });

    expect(filled).toEqual([{ source: INLINE, data: { name: 'Ada' }, format: 'document' }]);
    expect(printed).toMatchObject([{ html: `filled: ${INLINE}`, signal }]);
    expect(artifacts).toEqual([{ name: 'document.pdf', contentType: 'application/pdf', bytes: PDF.bytes }]);
    expect(artifacts.map(artifactIssue)).toEqual([null]);
    expect(result).toEqual({ artifact: 'document.pdf', size: 1_234, pages: 2 });
  });

  test('uses empty data by default', async () => {
    expect((await run({ template: INLINE })).filled).toMatchObject([{ data: {} }]);
  });

  test.each(['invoice', 'receipt', 'report'])('uses the built-in template %s without a lookup', async (template) => {
    const { filled, asked, artifacts, result } = await run({ template });

    expect(asked).toEqual([]);
    expect(filled[0]?.source).toContain('<!doctype html>');
    expect(artifacts).toMatchObject([{ name: `${template}.pdf` }]);
    expect(result).toMatchObject({ artifact: `${template}.pdf` });
  });

  test('looks up a template of the organization by its name', async () => {
    const { filled, asked, artifacts } = await run(
      { template: 'my letter' },
      { orgId: 'org-7', stored: '<p>Dear</p>' },
    );

    expect(asked).toEqual([['org-7', 'my letter']]);
    expect(filled).toMatchObject([{ source: '<p>Dear</p>' }]);
    expect(artifacts).toMatchObject([{ name: 'document.pdf' }]);
  });

  test('logs which variables it left empty, except for built-in templates', async () => {
    const line = { level: 'warn', message: 'these variables are missing in data and left empty: order.total, name' };
    const missing = ['order.total', 'name'];

    expect((await run({ template: INLINE }, { missing })).logs).toContainEqual(line);
    expect((await run({ template: 'letter' }, { missing, stored: 'x' })).logs).toContainEqual(line);
    expect((await run({ template: 'invoice' }, { missing })).logs).not.toContainEqual(line);
  });

  test('fails permanently for an unknown template', async () => {
    const work = run({ template: 'my "letter"' });

    await expect(work).rejects.toThrow(PermanentError);
    await expect(work).rejects.toMatchObject({
      code: 'invalid_payload',
      message: 'there is no template named "my \\"letter\\""',
    });
  });

  test('returns no number of pages if they were not counted', async () => {
    const { result, logs } = await run({ template: INLINE }, { pdf: { ...PDF, pages: null } });

    expect(result).toEqual({ artifact: 'document.pdf', size: 1_234 });
    expect(logs).toContainEqual({ level: 'info', message: 'rendered the HTML: 1234 bytes' });
  });

  test('logs what it rendered', async () => {
    expect((await run({ template: INLINE })).logs).toEqual([
      { level: 'info', message: 'rendered the HTML: 2 pages, 1234 bytes' },
    ]);
    expect((await run({ template: 'invoice' }, { pdf: { ...PDF, pages: 1 } })).logs).toEqual([
      { level: 'info', message: 'rendered the template invoice: 1 page, 1234 bytes' },
    ]);
  });
});

describe('the images of a document', () => {
  const url = (n: number) => `https://pictures.example/${n}.png?token=s3cret`;

  test('are downloaded by the guarded client, with at most 5 MiB each', async () => {
    const { images, requests } = await run({ template: INLINE }, { pictures: [url(1), url(2)] });

    expect([...images]).toEqual([
      [url(1), { contentType: 'image/png', bytes: PICTURE.body }],
      [url(2), { contentType: 'image/png', bytes: PICTURE.body }],
    ]);
    expect(requests).toMatchObject([
      { url: url(1), method: 'GET', maxBytes: 5 * 1024 * 1024 },
      { url: url(2), method: 'GET' },
    ]);
  });

  test('are limited to 20', async () => {
    const pictures = Array.from({ length: 25 }, (_, n) => url(n));

    const { images, requests, logs } = await run({ template: INLINE }, { pictures });

    expect([...images.keys()]).toEqual(pictures.slice(0, 20));
    expect(requests).toHaveLength(20);
    expect(logs).toContainEqual({
      level: 'warn',
      message: '5 of 25 images were left out: a document may have 20',
    });
  });

  test.each<[Partial<OutboundResponse>, string]>([
    [{ status: 404 }, 'pictures.example answered 404'],
    [{ cut: true }, 'the file at pictures.example is larger than the limit of 5 MiB'],
    [{ headers: { 'content-type': 'text/html' } }, 'pictures.example sent text/html instead of an image'],
    [{ headers: {} }, 'pictures.example sent no content type instead of an image'],
    [
      { headers: { 'content-type': 'image/png,<script>' } },
      'pictures.example sent image/png,<script> instead of an image',
    ],
  ])('are left out if they cannot be loaded, and the log says why: %j', async (answer, reason) => {
    const { images, logs } = await run({ template: INLINE }, { pictures: [url(1)], answer });

    expect(images.size).toBe(0);
    expect(logs).toContainEqual({
      level: 'warn',
      message: `the image https://pictures.example/1.png was left out: ${reason}`,
    });
  });

  test('fail the job if they must not be loaded', async () => {
    const answer = new OutboundForbidden('no');

    await expect(run({ template: INLINE }, { pictures: [url(1)], answer })).rejects.toBe(answer);
  });

  test('are no longer awaited after the signal was aborted', async () => {
    const reason = new Error('canceled');
    const ending = new AbortController();
    const answer = new Error('whatever an aborted call throws');
    ending.abort(reason);

    await expect(run({ template: INLINE }, { pictures: [url(1)], answer, signal: ending.signal })).rejects.toBe(reason);
  });
});

describe('the payload of generate_pdf', () => {
  test.each([
    { template: 'invoice' },
    { template: '<p>', data: {} },
    { template: 'x', data: { a: [1, { b: null }] }, unknown: 1 },
  ])('can be %j', (payload) => {
    expect(issuesOf(generatePdf, payload)).toEqual([]);
  });

  test.each([
    [{}, 'payload.template'],
    [{ template: '' }, 'payload.template'],
    [{ template: 7 }, 'payload.template'],
    [{ template: 'x', data: null }, 'payload.data'],
    [{ template: 'x', data: [] }, 'payload.data'],
    [{ template: 'x', data: '{}' }, 'payload.data'],
  ])('must not be %j', (payload, path) => {
    expect(issuesOf(generatePdf, payload).map((issue) => issue.path)).toEqual([path]);
  });
});

const PDF: Pdf = { bytes: new Uint8Array(1_234), pages: 2 };
const PICTURE: OutboundResponse = {
  status: 200,
  headers: { 'content-type': 'image/png' },
  body: new Uint8Array(9),
  cut: false,
};

interface Given {
  orgId?: string;
  signal?: AbortSignal;
  stored?: string;
  /** The variables that the data lacks. */
  missing?: string[];
  pdf?: Pdf;
  /** The images of the document, and the response of their server. */
  pictures?: string[];
  answer?: Partial<OutboundResponse> | Error;
}

async function run(payload: { template: string; data?: JsonObject }, given: Given = {}) {
  const { stored = null, missing = [], pdf = PDF, pictures = [], answer = {}, ...options } = given;
  const filled: { source: string; data: JsonObject; format: string }[] = [];
  const asked: string[][] = [];
  const printed: PdfRequest[] = [];
  const requests: unknown[] = [];
  const logs: LogLine[] = [];
  const artifacts: Artifact[] = [];
  let images: Awaited<ReturnType<PdfRequest['loadImages']>> = new Map();
  const ports: Partial<Ports> = {
    templates: {
      async find(...question) {
        asked.push(question);
        return stored;
      },
      async fill(_orgId, source, data, format) {
        filled.push({ source, data, format });
        return { text: `filled: ${source}`, missing };
      },
      variables: async () => [],
    },
    pdfs: {
      async render(request) {
        printed.push(request);
        images = await request.loadImages(pictures);
        return pdf;
      },
    },
    outbound: {
      async request(request) {
        requests.push(request);
        if (answer instanceof Error) throw answer;
        return { ...PICTURE, ...answer };
      },
    },
  };
  const { result } = await runHandler(generatePdf, payload, { ...options, ports, logs, artifacts });
  return { result, logs, artifacts, filled, asked, printed, requests, images };
}
