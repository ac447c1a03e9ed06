import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserProcesses } from '../harness/browser-traces.js';
import { photo } from '../image/samples.js';
import { readPdf } from './pdf-reader.js';
import { closeAll, open, receiver, request } from './support.js';

/** Starts its browser with the first document and keeps it for all of them. */
let pdfs: ReturnType<typeof open>;

beforeAll(() => {
  pdfs = open();
});
afterAll(closeAll);

const SRC = 'https://pictures.example/a.png?b=1&c=2';

test('a document of more than 2 MiB is rejected before a browser is started', async () => {
  const html = 'é'.repeat(1024 * 1024 + 1);

  await expect(pdfs.render(request(html))).rejects.toMatchObject({
    code: 'invalid_payload',
    message: 'the document has 2097154 bytes of HTML; the limit is 2097152',
  });
  expect(browserProcesses()).toEqual([]);
});

describe('a document', () => {
  test('is rendered on A4 with its text, embedded images and title', async () => {
    const picture = await photo(40, 30).png().toBuffer();

    const pdf = await pdfs.render(
      request(`<title>T</title><h1>Héllo</h1><img src="data:image/png;base64,${picture.toString('base64')}">`),
    );

    expect(pdf.pages).toBe(1);
    expect(await readPdf(pdf.bytes)).toEqual({ pages: ['Héllo'], size: [596, 842], pictures: 1 });
  });

  test('may set its own size and page breaks', async () => {
    const html = '<style>@page { size: 100mm 50mm }</style><p style="break-after: page">one</p><p>two</p>';

    const pdf = await pdfs.render(request(html));

    expect(pdf.pages).toBe(2);
    expect(await readPdf(pdf.bytes)).toMatchObject({ pages: ['one', 'two'], size: [283, 142] });
  });

  test('with several pages returns their number', async () => {
    const html = `<title>/Type /Pages\n/Count 7</title>${'<p style="break-after: page">x</p>'.repeat(150)}`;

    const pdf = await pdfs.render(request(html));

    expect(pdf.pages).toBe((await readPdf(pdf.bytes)).pages.length);
    expect(pdf.pages).toBeGreaterThanOrEqual(150);
  });

  test('is rejected if its PDF is too large', async () => {
    const filter = '<filter id=f><feTurbulence baseFrequency=0.05 numOctaves=1 /></filter>';
    const html = `<svg width=500 height=500>${filter}<rect width=500 height=500 filter="url(#f)" /></svg>`;

    await expect(open({ maxPdfBytes: 256 * 1024 }).render(request(html))).rejects.toMatchObject({
      code: 'invalid_payload',
      message: 'the PDF is larger than the limit of 0.25 MiB',
    });
  });
});

describe('remote images', () => {
  test('are loaded once each and inserted in the right places', async () => {
    const picture = await photo(60, 40).jpeg().toBuffer();
    const asked: string[][] = [];
    const html = `
      <base href="https://pictures.example/">
      <img src="a.png?b=1&amp;c=2"><img src="${SRC}" loading="lazy" srcset="https://pictures.example/big.png 2x">
      <picture><source srcset="https://pictures.example/other.webp"><img src="//pictures.example/d.png"></picture>`;

    const pdf = await pdfs.render(
      request(html, {
        async loadImages(urls) {
          asked.push([...urls]);
          return new Map(urls.map((url) => [url, picture]));
        },
      }),
    );

    expect(asked).toEqual([[SRC, 'https://pictures.example/d.png']]);
    expect((await readPdf(pdf.bytes)).pictures).toBe(3);
  });

  test('are left out if they are not returned or not valid images', async () => {
    const nonsense = Buffer.from('nonsense');
    const html = `<img src="${SRC}"><img src="https://pictures.example/b.png"><p>text</p>`;

    const pdf = await pdfs.render(request(html, { loadImages: async () => new Map([[SRC, nonsense]]) }));

    expect(await readPdf(pdf.bytes)).toMatchObject({ pages: ['text'], pictures: 0 });
  });

  test('can be SVG, which is drawn without loading anything', async () => {
    const victim = await receiver();
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"><text y="50">drawn</text>
      <image href="${victim.url}/image"/><style>@import url(${victim.url}/css)</style><script>fetch('${victim.url}')</script></svg>`;
    const picture = Buffer.from(svg);

    const pdf = await pdfs.render(request(`<img src="${SRC}">`, { loadImages: async () => new Map([[SRC, picture]]) }));

    expect((await readPdf(pdf.bytes)).pages).toEqual(['drawn']);
    expect(victim.received).toEqual([]);
  });

  test('fail the document if they must not be loaded', async () => {
    const reason = new Error('not allowed');
    const loadImages = () => Promise.reject(reason);

    await expect(pdfs.render(request(`<img src="${SRC}">`, { loadImages }))).rejects.toBe(reason);
  });
});
