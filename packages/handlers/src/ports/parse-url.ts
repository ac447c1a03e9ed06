/**
 * The URL that a text is, perhaps against a base; null if it is none. Instead of `URL.canParse`, which in Node 20 takes
 * no host or path with Latin-1 letters any more (`http://bücher.example/`) once it has been called some thousand times.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
