import { domainToASCII, domainToUnicode } from 'node:url';

/** Letters of any script, with their marks and digits. No invisible characters. */
const WRITTEN = /^[\p{L}\p{M}\p{N}.\u3002\uff0e\uff61-]+$/u;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_LENGTH = 253;

/**
 * Normalizes a domain name so that two names can be compared: lower case, punycode, no dot at the end. Null for a text
 * that is not a domain name: a single label, an IP address, or an invalid label.
 */
export function readDomainName(text: string): string | null {
  if (text.length > MAX_LENGTH + 1 || !WRITTEN.test(text)) return null;
  const name = domainToASCII(text.replace(/\.$/, ''));
  const labels = name.split('.');
  if (name.length > MAX_LENGTH || labels.length < 2 || !labels.every((label) => LABEL.test(label))) return null;
  // Punycode that encodes no letters. From Node 24, domainToASCII accepts it.
  if (/(^|\.)xn--/.test(domainToUnicode(name))) return null;
  // The last label of a domain name is never a number: then the text is an IP address.
  return /^\d+$/.test(labels.at(-1) ?? '') ? null : name;
}
