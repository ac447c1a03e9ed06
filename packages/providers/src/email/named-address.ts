import Joi from 'joi';

/** An address and whose it is said to be. */
export interface NamedAddress {
  name: string;
  address: string;
}

/**
 * Takes apart what is known to be one address: `Name <address>`, the name perhaps quoted, or the address alone. The angle
 * brackets are the last ones.
 */
export function splitAddress(text: string): NamedAddress {
  const trimmed = text.trim();
  const start = trimmed.lastIndexOf('<');
  const isNamed = start >= 0 && trimmed.indexOf('>', start) === trimmed.length - 1;
  const name = isNamed ? trimmed.slice(0, start).trimEnd() : '';
  const address = isNamed ? trimmed.slice(start + 1, -1) : trimmed;
  const [, quoted] = /^"(.*)"$/su.exec(name) ?? [];
  return { name: quoted?.replace(/\\(.)/gsu, '$1') ?? name, address: address.trim() };
}

/** The domain of an address. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** A setting that is an address, with or without a name. */
export const addressSetting = Joi.string().custom((text: string) => {
  const { name, address } = splitAddress(text);
  const { error } = Joi.string().email({ tlds: false }).validate(address);
  if (error || /\p{Cc}/u.test(name)) throw new Error('write an address, or Name <address>');
  return text;
});
