import { domainToASCII, domainToUnicode } from 'node:url';

/** Letters of any script, with their marks and digits; nothing that a reader does not see. */
const WRITTEN = /^[\p{L}\p{M}\p{N}.\u3002\uff0e\uff61-]+$/u;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_LENGTH = 253;

/**
 * A domain in the one spelling in which two of them can be compared: lower case, punycode, no dot at the end. Null for
 * what is no name of a domain: a single label, an address of a machine, a label that DNS does not have.
 */
export function readDomainName(text: string): string | null {
  if (text.length > MAX_LENGTH + 1 || !WRITTEN.test(text)) return null;
  const name = domainToASCII(text.replace(/\.$/, ''));
  const labels = name.split('.');
  if (name.length > MAX_LENGTH || labels.length < 2 || !labels.every((label) => LABEL.test(label))) return null;
  // Punycode that stands for no letters. From Node 24 on, domainToASCII lets it pass.
  if (/(^|\.)xn--/.test(domainToUnicode(name))) return null;
  // The last label of a name is no number: four of them are an address.
  return /^\d+$/.test(labels.at(-1) ?? '') ? null : name;
}
