import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../harness/until.js';
import { bombPng } from '../image/samples.js';
import { BOMBS, hostileHtml } from './hostile-html.js';
import { readPdf } from './pdf-reader.js';
import { closeAll, open, receiver, request } from './support.js';

/** Uses one browser for all documents. */
let pdfs: ReturnType<typeof open>;

afterAll(closeAll);

describe('malicious HTML', () => {
  beforeAll(() => {
    pdfs = open();
  });

  test('reaches nothing and is rendered', async () => {
    const victim = await receiver();

    const pdf = await pdfs.render(request(hostileHtml(victim.url)));

    const { pages } = await readPdf(pdf.bytes);
    expect(pages.join(' ')).toContain('Still printed');
    expect(pages.join(' ')).not.toMatch(/SCRIPTS ARE ON|root:/);
    expect(victim.received.map(({ path }) => path)).toEqual([]);
  });

  test('causes only requests for the src of images', async () => {
    const asked: (readonly string[])[] = [];
    const loadImages = async (urls: readonly string[]) => {
      asked.push(urls);
      return new Map<string, Uint8Array>();
    };

    await pdfs.render(request(hostileHtml('http://victim.example'), { loadImages }));

    expect(asked).toEqual([]);
  });
});

describe('malicious HTML that needs too many resources', () => {
  beforeAll(async () => {
    await closeAll();
    pdfs = open({ limitMs: 1_500 });
  });

  test.each(BOMBS)('such as %s is stopped by the limit, and the next document is rendered', async (_what, html) => {
    const outcome = await pdfs.render(request(html)).catch((error: unknown) => error);

    expect(outcome).toMatchObject({ code: expect.stringMatching(/^(timeout|handler_error)$/) });
    // A slow machine may need several tries to render it within the limit.
    const next = await until('the next document', () => pdfs.render(request('<p>next</p>')).catch(() => null));
    expect(await readPdf(next.bytes)).toMatchObject({ pages: ['next'] });
  });

  test('with an image of 20000 × 20000 pixels does not exhaust the machine', async () => {
    const bomb = `<img src="data:image/png;base64,${bombPng(20_000, 20_000).toString('base64')}">`;
    const patient = open({ limitMs: 5_000 });

    await patient.render(request(bomb.repeat(5))).catch((error: unknown) => {
      expect(error).toMatchObject({ code: expect.stringMatching(/^(timeout|handler_error|invalid_payload)$/) });
    });

    expect((await patient.render(request('<p>next</p>'))).pages).toBe(1);
  });
});
