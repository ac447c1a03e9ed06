import Joi from 'joi';

export const MAX_OUTBOUND_URL_LENGTH = 2048;

/**
 * Returns why a URL that a tenant chose is invalid, as the end of a sentence that begins with "the URL". Returns null if
 * it is valid. This checks only the text; the address is checked when it is called.
 */
export function outboundUrlIssue(url: string): string | null {
  if (url.length > MAX_OUTBOUND_URL_LENGTH) return `must be at most ${MAX_OUTBOUND_URL_LENGTH} characters long`;
  const parsed = parseUrl(url);
  if (!parsed) return 'must be a complete URL, such as https://example.com/path';
  const { protocol, username, password, port } = parsed;
  if (protocol !== 'http:' && protocol !== 'https:') return 'must start with http:// or https://';
  if (username || password) return 'must not contain a user name or password';
  if (port !== '' && BLOCKED_PORTS.has(Number(port)))
    return `must not use the port ${port}, which is reserved for another protocol`;
  return null;
}

/**
 * Ports of protocols other than HTTP, whose servers could interpret the lines of a request as commands: those that
 * browsers block (the bad ports of the Fetch standard), and those of databases and caches. Not port 9 (discard): its
 * servers read nothing into what they get.
 */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1433, 1719, 1720, 1723, 2049, 3306, 3659, 4045, 4190,
  5060, 5061, 5432, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211, 27017,
]);

/** A payload field with a URL that a handler calls. */
export const outboundUrl = Joi.string()
  .custom((url: string, { message }) => {
    const issue = outboundUrlIssue(url);
    return issue ? message({ custom: `{{#label}} ${issue}` }) : url;
  })
  .meta({ jsonSchema: { format: 'uri' } });

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

/** The host of a valid URL, without its port. Undefined for any other value. */
export function hostOf(url: unknown): string | undefined {
  return typeof url === 'string' ? parseUrl(url)?.hostname : undefined;
}

/**
 * The URL for the log of a job, without its query. The whole organization can read the log, and queries may contain
 * tokens.
 */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
