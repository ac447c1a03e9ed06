const NODE = '<</Type /Pages\n';

/**
 * The number of pages of a PDF that Chromium has written: the root of its page tree contains the number in plain text.
 * Null if Chromium changes this format.
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
