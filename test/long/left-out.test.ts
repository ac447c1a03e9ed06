import type { PdfRequest } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { photo } from '../image/samples.js';
import { readPdf } from '../pdf/pdf-reader.js';
import { closeAll, open, request } from '../pdf/support.js';

/** Starts its browser with the first document and keeps it for all of them. */
let pdfs: ReturnType<typeof open>;

beforeAll(() => {
  pdfs = open();
});
afterAll(closeAll);

const SITE = 'https://site.example';

/** What the PDF of a document lacks. Each part is its kind, its address and perhaps the reason. */
async function partsLeftOut(html: string, more: Partial<PdfRequest> = {}): Promise<string[]> {
  const { leftOut } = await pdfs.render(request(html, more));
  return leftOut.map(({ part, address, reason }) => [part, address, reason].filter(Boolean).join(' '));
}

const missingIn = async (html: string) => (await pdfs.render(request(html))).missingGlyphs;

describe('the parts that a PDF lacks', () => {
  test.each([
    [`<link rel=stylesheet href="${SITE}/a.css">`, `style sheet ${SITE}/a.css`],
    [`<link rel=stylesheet href="/a.css">`, 'style sheet a.css a relative address'],
    [`<style>@import "${SITE}/b.css";</style>`, `style sheet ${SITE}/b.css`],
    [
      `<style>@font-face { font-family: f; src: url(${SITE}/f.woff2) } p { font-family: f }</style><p>x`,
      `font ${SITE}/f.woff2`,
    ],
    [`<style>body { background: url(${SITE}/b.png) }</style>`, `image ${SITE}/b.png not the src of an img element`],
    [`<style>@media print { p { background: url(b.png) } }</style><p>x`, 'image b.png a relative address'],
    [`<table background="${SITE}/t.png"><td>x</table>`, `image ${SITE}/t.png not the src of an img element`],
    [`<svg><image href="${SITE}/s.png"/></svg>`, `image ${SITE}/s.png not the src of an img element`],
    [`<img srcset="${SITE}/s.png 1x">`, `image ${SITE}/s.png not the src of an img element`],
    [
      `<iframe srcdoc="<img src='${SITE}/inner.png'>"></iframe>`,
      `image ${SITE}/inner.png not the src of an img element`,
    ],
    [
      `<div><template shadowrootmode=open><img src="${SITE}/shadow.png"></template></div>`,
      `image ${SITE}/shadow.png not the src of an img element`,
    ],
    [`<iframe src="${SITE}/frame?secret"></iframe>`, `frame ${SITE}`],
    [`<video src="${SITE}/v.mp4"></video>`, `video or audio ${SITE}/v.mp4`],
    [`<object data="${SITE}/o.swf"></object>`, `object ${SITE}`],
    ['<img src="a/b.png">', 'image a/b.png a relative address'],
    ['<img src="../b.png" loading=lazy style="margin-top: 9000px">', 'image b.png a relative address'],
    ['<img src="/static/logo.png">', 'image static/logo.png a relative address'],
    ['<img src="./img/logo%20blue.png?v=2">', 'image img/logo%20blue.png?v=2 a relative address'],
    ['<img src="логотип.png">', 'image %D0%BB%D0%BE%D0%B3%D0%BE%D1%82%D0%B8%D0%BF.png a relative address'],
    ['<img src="?id=7">', 'image ?id=7 a relative address'],
    ['<img src="file:///etc/passwd">', 'image file:///etc/passwd neither http nor https'],
    ['<img src="data:image/png;base64,AAAA">', 'image data:image/png;base64,AAAA not an image that can be drawn'],
  ])('contain what is in %s', async (html, part) => {
    expect(await partsLeftOut(html)).toEqual([part]);
  });

  test('contain an image that was loaded and cannot be drawn', async () => {
    const html = `<img src="${SITE}/a.png"><img src="${SITE}/a.png"><img src="${SITE}/b.png">`;
    const loadImages = async () => new Map([[`${SITE}/a.png`, Buffer.from('<html>Not found</html>')]]);

    expect(await partsLeftOut(html, { loadImages })).toEqual([`image ${SITE}/a.png not an image that can be drawn`]);
  });

  test('contain a background that is also the src of an image that is drawn', async () => {
    const picture = await photo(60, 40).png().toBuffer();
    const loadImages = async () => new Map([[`${SITE}/a.png`, picture]]);
    const image = `<img src="${SITE}/a.png">`;

    expect(await partsLeftOut(image + image, { loadImages })).toEqual([]);
    expect(await partsLeftOut(`${image}<p style="background: url(${SITE}/a.png)">x`, { loadImages })).toEqual([
      `image ${SITE}/a.png not the src of an img element`,
    ]);
  });

  test('are none for a complete document', async () => {
    const picture = `data:image/png;base64,${(await photo(4, 4).png().toBuffer()).toString('base64')}`;
    const html = `<link rel=icon href="${SITE}/icon.png"><link rel=preconnect href="${SITE}">
      <style>p { background: url(${picture}) } @page { margin: 1mm }</style><script src="${SITE}/a.js"></script>
      <img><img src=""><picture><source srcset="${SITE}/a.webp"><img src="${picture}"></picture>
      <a href="${SITE}">Äpfel – “naïve” Ελλάς Київ</a>`;

    expect(await pdfs.render(request(html))).toMatchObject({ leftOut: [], missingGlyphs: [], uncheckedGlyphs: 0 });
  });
});

/** A font with one glyph, U+E000. */
const ICON_FONT = [
  'data:font/woff;base64,',
  'd09GRgABAAAAAAIsAAoAAAAAAkwAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAABPUy8yAAABYAAAACQAAABgIPcyMmNtYXAAAAGMAAAAKgAAADQADO',
  'BTZ2x5ZgAAAcAAAAAuAAAALnUSsFhoZWFkAAAA9AAAADYAAAA2MP3NFmhoZWEAAAEsAAAAHAAAACQHCgOHaG10eAAAAYQAAAAIAAAACAXcAGRs',
  'b2NhAAABuAAAAAYAAAAGABcAC21heHAAAAFIAAAAFgAAACAABAAFbmFtZQAAAfAAAAAtAAAALbqVsYFwb3N0AAACIAAAAAwAAAAgAAMAAAABAA',
  'AAAQAAiDwSJl8PPPUAAwPoAAAAAOcxxFkAAAAA5zHEWQAAAAADhAOEAAAAAwACAAAAAAAAeJxjYGRgYG75PwdIvmBgALEZGBlQARMAYUIDmXic',
  'Y2BkYGBgYmBmANEgFhoAAAD5AAoAAHicY2Bmesc4gYGVgYWBCCCAxLYHAgaGB0CIEygwMAAA7QIEegH0AAAD6ABkeJxjYGBgYmBgYAZiESDJCK',
  'ZZGBSANAsQAvkPGP7/h5AKjGB5BgBZigY9AAAAAAALABcAAAABAAAAAAH0AfQAAgAAMREhAfQB9AAAAQBkAGQDhAOEAAIAADcRIWQDIGQDIAAA',
  'AAAAAAIAHgABAAAAAAABAAUAAAADAAEECQABAAoABWljb25zAGkAYwBvAG4AcwAAAHicY2BmwAsAAH0ABA==',
].join('');

const PIXEL = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** Unassigned, so that no font has them. */
const UNKNOWN = '\u{2fe0}';
const UNKNOWN_TOO = '\u{3ffff}';

describe('the characters of a PDF without a glyph', () => {
  test.each([
    ['a text', `<p>a${UNKNOWN_TOO}b${UNKNOWN}c${UNKNOWN}</p>`],
    ['SVG', `<svg><text y=20>${UNKNOWN}${UNKNOWN_TOO}</text></svg>`],
    ['generated content', `<style>p::before { content: "${UNKNOWN}" } p::after { content: "\\3ffff" }</style><p>x`],
    ['fields', `<input value="${UNKNOWN}"><input placeholder="${UNKNOWN_TOO}">`],
    [
      'the markers of lists',
      `<style>ol li::marker { content: "${UNKNOWN}" }</style><ol><li>x</ol><ul style="list-style-type: '${UNKNOWN_TOO}'"><li>x</ul>`,
    ],
    ['the text of an image that is not drawn', `<img src="a.png" alt="${UNKNOWN}"><img alt="${UNKNOWN_TOO}">`],
    [
      'what is only printed',
      `<style>p { display: none } @media print { p { display: block } }</style><p>${UNKNOWN}${UNKNOWN_TOO}`,
    ],
  ])('are found in %s, once each and by code point', async (_where, html) => {
    expect(await missingIn(html)).toEqual([UNKNOWN, UNKNOWN_TOO]);
  });

  test.each([
    ['what is hidden', `<p hidden>${UNKNOWN}</p><p style="visibility: hidden">${UNKNOWN}</p>`],
    ['what is not printed', `<style>@media print { p { display: none } }</style><p>${UNKNOWN}`],
    ['fields without a text', `<input type=hidden value=${UNKNOWN}><input type=checkbox value=${UNKNOWN}>`],
    ['images that are drawn', `<img src="${PIXEL}" alt="${UNKNOWN}">`],
    ['titles, comments and scripts', `<title>${UNKNOWN}</title><!-- ${UNKNOWN} --><script>${UNKNOWN}</script>x`],
    ['characters that are drawn as nothing', '<p>a\u00adb\u200bc\u200dd\u2060e\ufe0ff\u0092g\u3000h'],
  ])('are not looked for in %s', async (_where, html) => {
    expect(await missingIn(html)).toEqual([]);
  });

  // Which scripts are drawn depends on the fonts of the machine. What is drawn as a box cannot be read from the PDF.
  test('are exactly those that cannot be read from it, in 18 scripts', async () => {
    const scripts = ['بج', 'אש', 'აბ', 'कम', 'কম', 'கம', 'กข', 'ሀለ', '发票', 'あカ', '한글', '🎉🧾'];
    const moreScripts = ['កខ', 'ກຂ', 'కమ', 'ကခ', 'ԱԲ', 'ᎠᎡ'];
    const characters = [...scripts, ...moreScripts].flatMap((text) => [...text]);

    const { bytes, missingGlyphs } = await pdfs.render(request(characters.map((one) => `<p>${one}</p>`).join('')));

    const read = (await readPdf(bytes)).pages.join();
    expect(new Set(missingGlyphs)).toEqual(new Set(characters.filter((character) => !read.includes(character))));
  });

  test('are not those that an embedded font of the document has', async () => {
    const html = (family: string) => `<style>@font-face { font-family: icons; src: url(${ICON_FONT}) }
      i::before { content: "\\e000"; font-family: ${family} } b { font-family: ${family} }</style><i></i><b>\ue000</b>`;

    expect(await missingIn(html('icons, serif'))).toEqual([]);
    expect(await missingIn(html('serif'))).toEqual(['\ue000']);
  });

  test('are looked for until 500 have been found', async () => {
    const text = (from: number, length: number) =>
      `<p>${Array.from({ length }, (_, n) => String.fromCodePoint(from + n)).join('')}</p>`;

    const unknown = await pdfs.render(request(text(0x32000, 700)));
    const hidden = await pdfs.render(
      request(`<style>p { display: none }</style>${text(0xa1, 250)}${text(0x32000, 700)}`),
    );

    expect(unknown).toMatchObject({ missingGlyphs: { length: 500 }, uncheckedGlyphs: 200 });
    expect(hidden).toMatchObject({ missingGlyphs: [], uncheckedGlyphs: 200 });
  });
});
