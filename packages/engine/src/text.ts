/**
 * Returns text that Postgres can store, with at most `maxBytes` of UTF-8. U+0000 and unpaired surrogates become
 * U+FFFD.
 */
export function storableText(text: string, maxBytes: number): string {
  // A code unit has at most three bytes, so a slice of this length is always long enough.
  const well = text.slice(0, maxBytes).toWellFormed().replaceAll('\0', '\uFFFD');
  const bytes = Buffer.from(well);
  if (bytes.length <= maxBytes) return well;
  let end = maxBytes;
  // Do not cut a character: continuation bytes are 10xxxxxx.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
