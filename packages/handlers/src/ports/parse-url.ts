/**
 * Parses a URL, optionally against a base; null if it is invalid. `URL.canParse` is not used: in Node 20 it rejects
 * hosts and paths with Latin-1 letters (`http://bücher.example/`) after it has been called some thousand times.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
