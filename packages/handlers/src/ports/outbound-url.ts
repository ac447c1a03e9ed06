import { parseUrl } from './parse-url.js';

export const MAX_OUTBOUND_URL_LENGTH = 2048;

/**
 * What is wrong with a URL that a tenant chose, to be said after its name ("the URL …"); null if nothing is.
 * It looks at the text alone: whether the address may be called shows when it is called.
 */
export function outboundUrlFault(url: string): string | null {
  if (url.length > MAX_OUTBOUND_URL_LENGTH) return `must be at most ${MAX_OUTBOUND_URL_LENGTH} characters long`;
  const parsed = parseUrl(url);
  if (!parsed) return 'must be a complete URL, like https://example.com/path';
  const { protocol, username, password } = parsed;
  if (protocol !== 'http:' && protocol !== 'https:') return 'must start with http:// or https://';
  if (username || password) return 'must not carry a user name or password';
  return null;
}
