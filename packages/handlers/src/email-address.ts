import { domainToASCII, domainToUnicode } from 'node:url';

/** The domain of an address. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** An address whose domain is in its ASCII form: few mail servers accept another one. An invalid domain stays as it is. */
export function asciiAddress(address: string): string {
  const domain = domainOf(address);
  return address.slice(0, address.length - domain.length) + (domainToASCII(domain) || domain);
}

/** The form in which addresses are compared. */
export function addressKey(address: string): string {
  return asciiAddress(address).toLowerCase();
}

/** The forms that a stored address of the same recipient may have, all in lower case. */
export function formsOf(address: string): string[] {
  const key = addressKey(address);
  const domain = domainOf(key);
  const unicode = key.slice(0, key.length - domain.length) + (domainToUnicode(domain) || domain);
  return [...new Set([address.toLowerCase(), key, unicode])];
}
