import { MAX_EMAIL_LENGTH } from '@jobline/contracts';
import { readDomainName } from './domains.js';

/** An email address and its parts. */
export interface MailAddress {
  /** The display name; null if there is none. */
  name: string | null;
  /** `local@domain`, the domain in lower case and punycode. */
  address: string;
  domain: string;
  /**
   * Rebuilt from the parts above, so that every later reader sees the same address as the one that was checked here.
   */
  text: string;
}

const MAX_TEXT_LENGTH = 1_000;

/**
 * A dot-atom of RFC 5322 in ASCII, with at most 64 characters. Quoted local parts and comments are not used in
 * practice.
 */
const LOCAL = /^(?=.{1,64}$)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** `Name <address>`: the name is empty, quoted, or without characters that have a meaning in addresses. */
const NAMED = /^(?:"((?:[^"\\]|\\.)*)"\s*|([^"\\<>()[\]:;@,]*))<([^<>]*)>$/u;
/**
 * Characters that would end a header or are invisible: line breaks, control characters, direction marks, unpaired
 * surrogates.
 */
const INVISIBLE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
/** The characters that a name may have without quotes. */
const ATOMS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+$/;

/**
 * Reads `ada@example.com`, `Ada <ada@example.com>` or `"Ada, Countess" <ada@example.com>`. Null for anything else,
 * several addresses included.
 */
export function readMailAddress(text: string): MailAddress | null {
  const trimmed = text.trim();
  if (text.length > MAX_TEXT_LENGTH || INVISIBLE.test(text)) return null;
  if (!trimmed.includes('<')) return assemble(null, trimmed);
  const [, quoted, plain, address = ''] = NAMED.exec(trimmed) ?? [];
  const name = quoted === undefined ? plain : quoted.replace(/\\(.)/gu, '$1');
  return assemble(name?.trim() || null, address);
}

function assemble(name: string | null, written: string): MailAddress | null {
  const at = written.lastIndexOf('@');
  const local = written.slice(0, at);
  const domain = at < 0 ? null : readDomainName(written.slice(at + 1));
  if (domain === null || !LOCAL.test(local)) return null;
  const address = `${local}@${domain}`;
  if (address.length > MAX_EMAIL_LENGTH) return null;
  return { name, address, domain, text: name === null ? address : `${phrase(name)} <${address}>` };
}

function phrase(name: string): string {
  return ATOMS.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
}
