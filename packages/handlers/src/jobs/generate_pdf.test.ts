import type { JsonObject } from '@jobline/contracts';
import { describe, expect, test } from 'vitest';
import { type Artifact, artifactIssue } from '../define-handler.js';
import { OutboundForbidden, PermanentError } from '../errors.js';
import type { DocumentOptions, LeftOut, OutboundResponse, Pdf, PdfRequest, Ports } from '../ports/index.js';
import { type LogLine, runHandler } from '../testing.js';
import { generatePdf } from './generate_pdf.js';

const INLINE = '<h1>{{ name }}</h1>';

describe('generate_pdf', () => {
  test('fills inline HTML with its data, renders it and stores it', async () => {
    const { signal } = new AbortController();

    const { result, artifacts, filled, printed } = await run({ template: INLINE, data: { name: 'Ada' } }, { signal });

    expect(filled).toMatchObject([{ source: INLINE, data: { name: 'Ada' }, format: 'document' }]);
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
    expect(filled[0]?.document).toEqual({ builtIn: template });
    expect(artifacts).toMatchObject([{ name: `${template}.pdf` }]);
    expect(result).toMatchObject({ artifact: `${template}.pdf` });
  });

  test('passes its time zone on, for every template', async () => {
    const timezone = 'Africa/Nairobi';

    expect((await run({ template: 'invoice', timezone })).filled[0]?.document).toEqual({
      builtIn: 'invoice',
      timezone,
    });
    expect((await run({ template: INLINE, timezone })).filled[0]?.document).toEqual({ timezone });
  });

  test('looks up a template of the organization by its name', async () => {
    const { filled, asked, artifacts } = await run(
      { template: 'my letter' },
      { orgId: 'org-7', stored: '<p>Dear</p>' },
    );

    expect(asked).toEqual([['org-7', 'my letter']]);
    expect(filled).toMatchObject([{ source: '<p>Dear</p>' }]);
    expect(artifacts).toMatchObject([{ name: 'my letter.pdf' }]);
  });

  test.each([INLINE, 'invoice', 'letter'])('names the PDF of %s as the payload says', async (template) => {
    const { artifacts, result } = await run({ template, filename: 'Rechnung Nr. 7.pdf' }, { stored: 'x' });

    expect(artifacts).toMatchObject([{ name: 'Rechnung Nr. 7.pdf' }]);
    expect(result).toMatchObject({ artifact: 'Rechnung Nr. 7.pdf' });
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
      [url(1), PICTURE.body],
      [url(2), PICTURE.body],
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
    const names = [20, 21, 22, 23, 24].map(
      (n) => `image https://pictures.example/${n}.png (a document may have 20 images)`,
    );
    expect(logs).toContainEqual({ level: 'warn', message: `left out: ${names.join(', ')}` });
  });

  test.each<[Partial<OutboundResponse>, string]>([
    [{ status: 404 }, 'pictures.example answered 404'],
    [{ cut: true }, 'the file at pictures.example is larger than the limit of 5 MiB'],
  ])('are left out if they cannot be loaded, and the log says why: %j', async (answer, reason) => {
    const { images, logs } = await run({ template: INLINE }, { pictures: [url(1)], answer });

    expect(images.size).toBe(0);
    expect(logs).toContainEqual({
      level: 'warn',
      message: `left out: image https://pictures.example/1.png (${reason})`,
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

describe('what a PDF lacks', () => {
  const warned = async (pdf: Partial<Pdf>, given: Given = {}) => {
    const { logs } = await run({ template: INLINE }, { ...given, pdf: { ...PDF, ...pdf } });
    return logs.filter(({ level }) => level === 'warn').map(({ message }) => message);
  };

  test('is named in one line of the log', async () => {
    const leftOut: LeftOut[] = [
      { part: 'image', address: 'logo.png?v=1', reason: 'a relative address' },
      { part: 'style sheet', address: 'https://user:s3cret@cdn.example/a.css?token=s3cret#s3cret' },
      { part: 'style sheet', address: 'https://cdn.example/a.css?token=other' },
      { part: 'image', address: 'data:image/png;base64,s3cret', reason: 'not an image that can be drawn' },
      { part: 'frame', address: 'file:///etc/passwd', reason: 'neither http nor https' },
    ];

    const lines = await warned(
      { leftOut, missingGlyphs: ['\u{e4}', '\u{4e2d}', '\u{1f600}'], uncheckedGlyphs: 7 },
      { pictures: ['https://pictures.example/1.png?token=s3cret'], answer: { status: 404 } },
    );

    expect(lines).toEqual([
      'left out: image https://pictures.example/1.png (pictures.example answered 404), ' +
        'image logo.png (a relative address), style sheet https://cdn.example/a.css, ' +
        'image data:image/png (not an image that can be drawn), frame file:/etc/passwd (neither http nor https); ' +
        'characters without a glyph in any font: \u{e4} (U+00E4), \u{4e2d} (U+4E2D), \u{1f600} (U+1F600); ' +
        'characters not checked for a glyph: 7',
    ]);
  });

  test('is named up to 20 times, each time with at most 120 characters', async () => {
    const leftOut = Array.from({ length: 25 }, (_, n) => ({
      part: 'font' as const,
      address: `https://fonts.example/${n}/${'long'.repeat(100)}`,
      reason: 'because '.repeat(100),
    }));
    const missingGlyphs = Array.from({ length: 300 }, (_, n) => String.fromCodePoint(0x1f600 + n));

    const [line = ''] = await warned({ leftOut, missingGlyphs });

    expect(line.match(/font https/g)).toHaveLength(20);
    expect(line).toContain(' and 5 more; characters');
    expect(line.match(/U\+1F6/g)).toHaveLength(20);
    expect(line).toMatch(/ and 280 more$/);
    expect(Buffer.byteLength(line)).toBeLessThan(8_192);
  });

  test('is not mentioned if it lacks nothing', async () => {
    expect(await warned({})).toEqual([]);
  });
});

const PDF: Pdf = { bytes: new Uint8Array(1_234), pages: 2, leftOut: [], missingGlyphs: [], uncheckedGlyphs: 0 };
const PICTURE: OutboundResponse = {
  status: 200,
  headers: {},
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

async function run(
  payload: { template: string; data?: JsonObject; timezone?: string; filename?: string },
  given: Given = {},
) {
  const { stored = null, missing = [], pdf = PDF, pictures = [], answer = {}, ...options } = given;
  const filled: { source: string; data: JsonObject; format: string; document?: DocumentOptions | undefined }[] = [];
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
      async fill(_orgId, source, data, format, _signal, document) {
        filled.push({ source, data, format, document });
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
