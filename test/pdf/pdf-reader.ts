import { getDocument, OPS, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** The content of a PDF as a viewer shows it. */
export interface ReadPdf {
  /** The text of each page, its lines joined by spaces. */
  pages: string[];
  /** The size in points. */
  size: [width: number, height: number];
  /** The number of images painted on all pages. */
  pictures: number;
}

export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  // The reader takes ownership of the buffer, so it gets a copy.
  const task = getDocument({ data: Uint8Array.from(bytes), verbosity: 0 });
  const pdf = await task.promise;
  const numbers = Array.from({ length: pdf.numPages }, (_, i) => i + 1);
  const first = (await pdf.getPage(1)).getViewport({ scale: 1 });
  const read: ReadPdf = {
    pages: await Promise.all(numbers.map((number) => textOf(pdf, number))),
    size: [Math.round(first.width), Math.round(first.height)],
    pictures: (await Promise.all(numbers.map((number) => picturesOn(pdf, number)))).reduce((a, b) => a + b, 0),
  };
  await task.destroy();
  return read;
}

async function textOf(pdf: PDFDocumentProxy, number: number): Promise<string> {
  const { items } = await (await pdf.getPage(number)).getTextContent();
  const parts = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? ' ' : '') : ''));
  return parts.join('').replace(/\s+/g, ' ').trim();
}

async function picturesOn(pdf: PDFDocumentProxy, number: number): Promise<number> {
  const { fnArray } = await (await pdf.getPage(number)).getOperatorList();
  return fnArray.filter((operation) => operation === OPS.paintImageXObject).length;
}
