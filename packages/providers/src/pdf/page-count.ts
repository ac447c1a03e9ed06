const NODE = '<</Type /Pages\n';

/**
 * The pages of a PDF as Chromium writes it: the root of its page tree, in plain text, has their number. Null if it
 * writes them in another way one day.
 */
export function pageCount(pdf: Uint8Array): number | null {
  const bytes = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
  for (let at = bytes.indexOf(NODE); at >= 0; at = bytes.indexOf(NODE, at + NODE.length)) {
    const node = bytes.toString('latin1', at, bytes.indexOf('>>', at));
    const count = /\/Count (\d+)\b/.exec(node)?.[1];
    if (count !== undefined && !node.includes('/Parent')) return Number(count);
  }
  return null;
}
