/** Text that Postgres can store, at most `maxBytes` of UTF-8: U+0000 and broken surrogates become U+FFFD. */
export function storableText(text: string, maxBytes: number): string {
  // A code unit is at most three bytes, so this much is enough to look at, however long the text is.
  const well = text.slice(0, maxBytes).toWellFormed().replaceAll('\0', '\uFFFD');
  const bytes = Buffer.from(well);
  if (bytes.length <= maxBytes) return well;
  let end = maxBytes;
  // Not in the middle of a character: continuation bytes are 10xxxxxx.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
