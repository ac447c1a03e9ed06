import Joi from 'joi';

/** An address and its display name. The name may be empty. */
export interface NamedAddress {
  name: string;
  address: string;
}

/**
 * Splits one valid address: `Name <address>`, with the name perhaps in quotes, or the address alone. The last pair of
 * angle brackets counts.
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

/** A setting with an address or `Name <address>`. */
export const addressSetting = Joi.string().custom((text: string) => {
  const { name, address } = splitAddress(text);
  const { error } = Joi.string().email({ tlds: false }).validate(address);
  if (error || /\p{Cc}/u.test(name)) throw new Error('must be an address, or Name <address>');
  return text;
});
