/** The value of a header of a caller as it is sent: with encoded words where it is not ASCII. */
export async function encodeHeader(value: string): Promise<string> {
  if (/^[ -~]*$/.test(value)) return value;
  const { encodeWords } = await import('nodemailer/lib/mime-funcs');
  return encodeWords(value, 'B', 52, true);
}

/** A header as a line, or several lines if its value has encoded words. */
export async function headerLines(name: string, value: string): Promise<string> {
  const encoded = await encodeHeader(value);
  if (encoded === value) return `${name}: ${value}\r\n`;
  const { foldLines } = await import('nodemailer/lib/mime-funcs');
  return `${foldLines(`${name}: ${encoded}`)}\r\n`;
}
